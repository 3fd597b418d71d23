"""What the laws are asked of, where a library's objects need more than a line; each library is imported late."""
