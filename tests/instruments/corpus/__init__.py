"""A corpus of privacy filters whose truth is known: broken ones with a game that breaks each, and sound ones."""
