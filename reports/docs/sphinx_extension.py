"""The Sphinx extension of the pages: generated parts, numpydoc docstrings, links from `fp.name`, MathML."""

from __future__ import annotations

import re
from types import ModuleType
from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.addnodes import desc_annotation, pending_xref

import filterproof
from filterproof.filters.catalogue import CATALOGUE
from filterproof.reports.docs.generated import expand
from filterproof.reports.docs.reference import guarantee_proof_rst, rst_lines

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

_PUBLIC = re.compile(r"fp\.([A-Za-z_]\w*)((?:\.\w+)*)(\(.*\))?", re.DOTALL)
#: The written-out form of an array's type, with or without the modules that autodoc shortens by `~`.
_ARRAY = re.compile(
    r"~?(?:numpy\.)?ndarray\[~?tuple\[~?(?:typing\.)?Any, \.\.\.\], "
    r"~?(?:numpy\.)?dtype\[~?(?:numpy\.|typing\.)?(\w+)\]\]"
)
#: The default value of a parameter that is a class or a NumPy function.
_DEFAULT = re.compile(r"<(?:class|ufunc) '(?:\w+\.)*(\w+)'>")


def _expand_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Expand the generated parts of a page when Sphinx reads it."""
    source[0] = expand(source[0])


def _process_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Convert a docstring to reStructuredText, and add the proof of a filter's guarantee below the summary."""
    if isinstance(obj, type) and obj in {entry.filter_class for entry in CATALOGUE.values()}:
        place = lines.index("")
        lines[place:place] = ["", guarantee_proof_rst(obj)]
    lines[:] = rst_lines("\n".join(lines))


def _process_signature(
    app: Sphinx, what: str, name: str, obj: object, options: object, given: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Shorten array types and default values in a signature."""
    return given and _shorten_types_and_defaults(given), returned and _shorten_types_and_defaults(returned)


def _shorten_types_and_defaults(words: str) -> str:
    """Return an array's type as in the code, and defaults by name, so that Sphinx can parse the signature."""
    words = _DEFAULT.sub(r"\1", words).replace("<function <lambda>>", "...")
    return _ARRAY.sub(r"NDArray[\1]", words)


def _shorten_property_types(app: Sphinx, document: nodes.document) -> None:
    """Shorten the types of properties, for which autodoc has no event."""
    for node in list(document.findall(desc_annotation)):
        if _ARRAY.search(node.astext()):
            node.children = [nodes.Text(_shorten_types_and_defaults(node.astext()))]


def _link_public_names(app: Sphinx, document: nodes.document) -> None:
    """Link each `fp.name` in prose to the reference; an unknown name is a warning."""
    for literal in list(document.findall(nodes.literal)):
        public_name = _PUBLIC.fullmatch(literal.astext())
        if public_name is None or isinstance(literal.parent, nodes.reference | pending_xref | nodes.title):
            continue
        name, inside = public_name[1], public_name[2]
        value = getattr(filterproof, name, None)
        if isinstance(value, ModuleType):
            first, _, inside = inside[1:].partition(".")
            if value.__package__ != "filterproof" or not first:
                continue
            name, value = f"{name}.{first}", getattr(value, first, None)
            inside = f".{inside}" if inside else ""
        inside = inside if isinstance(value, type) else ""  # an instance is documented as a whole
        link = pending_xref(
            "",
            refdomain="py",
            reftype="obj",
            reftarget=f"filterproof.{name}{inside}",
            refexplicit=True,
            refwarn=True,
            refdoc=app.env.docname,
        )
        literal.replace_self(link)
        link += literal


def _render_inline_math(translator: HTML5Translator, node: nodes.math) -> None:
    """Write an inline formula as MathML."""
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def _render_block_math(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula as MathML."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the events for pages and docstrings, and the renderer for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (_render_inline_math, None), (_render_block_math, None))
    app.connect("source-read", _expand_page)
    app.connect("autodoc-process-docstring", _process_docstring)
    app.connect("autodoc-process-signature", _process_signature)
    app.connect("doctree-read", _link_public_names)
    app.connect("doctree-read", _shorten_property_types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
