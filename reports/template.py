"""A page's template, style and formulas, from the package's own files; whatever stands in a value is escaped."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from markupsafe import Markup


def render_template(template: str, **values: Any) -> str:
    """The template with these values; one that is missing is an error."""
    return _template_environment().get_template(template).render(**values)


@cache
def _template_environment() -> Environment:
    return Environment(
        loader=PackageLoader("filterproof.reports", "templates"),
        autoescape=select_autoescape(default_for_string=True, default=True),
        undefined=StrictUndefined,
    )


def page_style() -> Markup:
    """The style of all pages."""
    return Markup(
        resources.files("filterproof.reports").joinpath("templates", "report.css").read_text("utf-8")
    )


def formula_mathml(latex: str) -> Markup:
    """The formula on a line of its own; `convert` escapes text that it does not recognise, so this is safe HTML."""
    return Markup(convert(latex, display="block")) if latex else Markup("")
