"""Ways to true values that the findings of several libraries need."""
