"""The holders: what an application or a curator keeps of a filter while budget is spent."""
