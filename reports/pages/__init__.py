"""The pages of the report: a page for each filter, the front page that compares them, and how both are drawn."""
