"""Rules: what each privacy filter admits, one family of filters in each file, the unsound ones in `unsound`.

Sums and budgets are in `filterproof.filters.accounting`, sessions in `filterproof.filters.accountants`.
"""
