"""A docstring of this project as reStructuredText: plain prose with `names`, examples and indented formulas.

Nothing else is markup: the stars, bars and underscores of a formula are those of the formula.
"""

from __future__ import annotations

import re

#: What is marked up in prose: code between single backticks, and words between two stars.
_MARKED = re.compile(r"`([^`]+)`|(?<![\w*])\*\*(\S[^*]*\S)\*\*(?![\w*])")
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*(\(\))?")
#: Before a line that starts like this, a new paragraph reads better.
_LEAD = re.compile(r"\n(?=(?:Raises|Source:|Proof:|Proof|State:))")
_SPECIAL = re.compile(r"([\\*_|`:])")


def rst_of(docstring: str) -> str:
    """The docstring, without the indentation of its code, as reStructuredText."""
    blocks = re.split(r"\n[ \t]*\n", docstring.strip("\n"))
    return "\n\n".join(_block(block) for block in blocks if block.strip()) + "\n"


def _block(block: str) -> str:
    lines = block.splitlines()
    if lines[0].lstrip().startswith(">>>"):
        indent = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[indent:] for line in lines)
    if lines[0].startswith(" "):
        return "\n".join(["::", "", *(f"   {line}" for line in lines)])
    paragraphs = _LEAD.split("\n".join(line.strip() for line in lines))
    return "\n\n".join(_prose(" ".join(part.split())) for part in paragraphs)


def _prose(text: str) -> str:
    parts, end = [], 0
    for found in _MARKED.finditer(text):
        code, strong = found.groups()
        parts.append(_escaped(text[end : found.start()]))
        if strong is not None:
            marked = f"**{_escaped(strong)}**"
        else:
            marked = f":py:obj:`{code}`" if _NAME.fullmatch(code) else f"``{code}``"
        parts.append(rf"\ {marked}\ ")  # empty joints, whatever stands beside
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
