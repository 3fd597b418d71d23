"""The fourth part of the corpus, written before the search learnt to read a filter's frontier."""
