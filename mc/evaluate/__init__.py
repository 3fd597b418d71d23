"""The value of a given strategy without sampling: the law of filter state and loss, carried through both codes."""
