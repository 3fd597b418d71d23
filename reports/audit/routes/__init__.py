"""Ways to the true values of the findings, for libraries whose own file would be too long with them."""
