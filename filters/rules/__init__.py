"""Rules: what each privacy filter admits, one family of filters in each file, the unsound ones in `unsound`.

Sums and budgets are in `filters.accounting`, sessions in `filters.holders`.
"""
