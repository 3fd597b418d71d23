"""The commands of `filterproof`, one a file. They read arguments, call the other packages, and print."""
