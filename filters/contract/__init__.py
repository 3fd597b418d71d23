"""The contract: what a privacy filter says and decides, what it holds every path to, and the checks of both."""
