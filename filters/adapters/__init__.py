"""What makes a filter of an object that is not ours: of an accountant, a budget or a queryable."""
