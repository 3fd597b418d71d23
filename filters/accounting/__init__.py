"""The accounting: exact running sums of charges, never rounded in favour of a request."""
