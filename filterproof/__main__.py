"""`python -m filterproof` is the command `filterproof`, which Ctrl-C ends without a traceback as it is imported."""

import sys


def main() -> None:
    """The entry point of the command `filterproof`, which imports what it runs."""
    try:
        from filterproof.reports.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("filterproof: interrupted; nothing was decided\n")
        raise SystemExit(130) from None  # ExitStatus.INTERRUPTED, which need not be there yet


if __name__ == "__main__":
    main()
