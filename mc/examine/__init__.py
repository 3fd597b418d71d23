"""The examination of one filter's promise: attacks, challenges, and witnesses that anyone can replay.

The estimates, decisions and games that these run belong to `filterproof.mc.estimate` and `filterproof.mc.worst_case`.
"""
