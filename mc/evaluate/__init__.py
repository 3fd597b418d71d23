"""Evaluation of a given strategy without sampling: the distribution of filter state and loss, round by round."""
