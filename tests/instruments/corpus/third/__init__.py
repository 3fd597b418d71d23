"""The third part of the corpus, written when the search was mended, its author unread in it."""
