"""Results as HTML fragments, tables and pictures, for notebooks and for the report."""
