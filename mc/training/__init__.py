"""Trainings by sums over people: on two data sets at once, and as the private gradient descent of the papers.

What a training is says `training`; `two_trainings` plays one with a person and without, by the releasing code itself,
and `simulated_training` and `training_audit` measure how far the two can be told apart. `data` and the files that read
into it hold the people, `network` and `convolutional` their gradients, `descent` the steps; `retraining` trains the
papers' network. The privacy is not computed here: `filterproof.filters.accountants` clips, charges and releases. The
papers' experiments are with the figures that show them, in `filterproof.reports.figures`.
"""
