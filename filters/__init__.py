"""What decides: privacy filters, each with its promise."""
