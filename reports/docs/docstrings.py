"""Converts a numpydoc docstring to reStructuredText.

The prose of a docstring is plain text with names in single backticks. Stars, bars and underscores are literal.
"""

from __future__ import annotations

import re
from textwrap import dedent, indent

from sphinx.ext.napoleon import Config, NumpyDocstring

#: Sections that list names or types, each with an indented description.
_LISTS = {"Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"}
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ITEM = re.compile(r"^(\S.*)\n", re.MULTILINE)
#: Types are text and no cross-references: `n` in "shape (n,)" would refer to every attribute of that name.
_CONFIG = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=[("Attributes", "params_style")],
)
#: Markup in prose: code between single backticks, and words between two stars.
_MARKED = re.compile(r"`([^`]+)`|(?<![\w*])\*\*(\S[^*]*\S)\*\*(?![\w*])")
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*(\(\))?")
#: A line that starts with one of these words starts a paragraph.
_LEAD = re.compile(r"\n(?=(?:Raises|Source:|Proof:|Proof|State:))")
_SPECIAL = re.compile(r"([\\*_|`:])")


def rst_of(docstring: str) -> str:
    """Convert a docstring, without the indentation of its code, to reStructuredText."""
    prose, *sections = _SECTION.split(docstring.strip("\n") + "\n")
    parts = [_prose_to_rst(prose)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        text = (
            _definition_list(body)
            if title in _LISTS
            else body
            if title == "See Also"
            else _prose_to_rst(body)
        )
        parts.append(f"{title}\n{'-' * len(title)}\n{text}")
    return str(NumpyDocstring("\n".join(parts), _CONFIG)).rstrip("\n") + "\n"


def _definition_list(body: str) -> str:
    """Convert the items of a section, `name : type` or a type, and their descriptions."""
    before, *items = _ITEM.split(body.strip("\n") + "\n")
    lines = [before]
    for head, description in zip(items[::2], items[1::2], strict=True):
        name, colon, kind = head.rpartition(" : ")
        lines += [
            f"{name}{colon}{_inline_markup_to_rst(kind)}",
            indent(_prose_to_rst(dedent(description)), "    "),
        ]
    return "\n".join(lines)


def _prose_to_rst(text: str) -> str:
    """Convert plain prose with blank lines between blocks to reStructuredText."""
    blocks = re.split(r"\n[ \t]*\n", text.strip("\n"))
    return "\n\n".join(_block_to_rst(block) for block in blocks if block.strip()) + "\n"


def _block_to_rst(block: str) -> str:
    """Convert one paragraph, list, indented block or doctest to reStructuredText."""
    lines = block.splitlines()
    if lines[0].lstrip().startswith(">>>"):
        start = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[start:] for line in lines)
    if lines[0].startswith(" "):
        return "\n".join(["::", "", *(f"   {line}" for line in lines)])
    if lines[0].startswith("- "):
        return "\n".join(
            f"- {_inline_markup_to_rst(' '.join(item.split()))}"
            for item in re.split(r"(?:^|\n)- ", block)[1:]
        )
    paragraphs = _LEAD.split("\n".join(line.strip() for line in lines))
    return "\n\n".join(_inline_markup_to_rst(" ".join(part.split())) for part in paragraphs)


def _inline_markup_to_rst(text: str) -> str:
    """Convert single backticks to roles or literals, and escape the other characters."""
    parts, end = [], 0
    for markup in _MARKED.finditer(text):
        code, strong = markup.groups()
        parts.append(_escape_rst(text[end : markup.start()]))
        if strong is not None:
            marked = f"**{_escape_rst(strong)}**"
        else:
            marked = f":py:obj:`{code}`" if _NAME.fullmatch(code) else f"``{code}``"
        parts.append(rf"\ {marked}\ ")  # an escaped space ends the markup next to any character
        end = markup.end()
    return "".join([*parts, _escape_rst(text[end:])]).removesuffix(r"\ ")


def _escape_rst(text: str) -> str:
    """Escape the special characters of reStructuredText."""
    return _SPECIAL.sub(r"\\\1", text)
