"""The commands of `filterproof`, one a file: they read arguments, call the other rooms, and print."""
