"""The configuration of the pages: `make docs` builds them from `pages` and from the docstrings of `filterproof`."""

from __future__ import annotations

from importlib.metadata import version as _version

project = "Filterproof"
project_copyright = "the Filterproof authors"
version = release = _version("filterproof")

extensions = ["myst_parser", "sphinx.ext.autodoc", "filterproof.reports.docs.sphinx_extension"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "deflist", "attrs_block"]
myst_heading_anchors = 3
highlight_language = "none"
smartquotes = False
nitpicky = False
suppress_warnings: list[str] = []

autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_typehints_format = "short"
autodoc_use_type_comments = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
add_module_names = False
toc_object_entries_show_parents = "hide"

#: Single backticks in docstrings are names, or else code.
default_role = "py:obj"

html_theme = "furo"
html_title = "Filterproof"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["filterproof.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "monokai"
