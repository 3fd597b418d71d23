"""The rules of the privacy filters, one family per file; unsound rules are in `unsound`.

Sums and budgets are in `filterproof.filters.accounting`, sessions in `filterproof.filters.accountants`.
"""
