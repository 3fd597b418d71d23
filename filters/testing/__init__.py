"""What tests a filter: the laws of the contract and Hypothesis strategies, for other people's suites too."""
