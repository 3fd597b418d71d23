"""The second half of the corpus, written by one who did not know the search that it measures."""
