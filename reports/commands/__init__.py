"""The commands of `filterproof`, one a file."""
