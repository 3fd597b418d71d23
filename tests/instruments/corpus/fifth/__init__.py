"""The fifth part of the corpus, written before budgets that move, long histories and narrow sums were looked for."""
