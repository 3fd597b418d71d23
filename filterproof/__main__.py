"""`python -m filterproof` is the command `filterproof`."""

from reports.cli import main

if __name__ == "__main__":
    main()
