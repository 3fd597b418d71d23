"""Private gradient descent with individual filtering: data sets, a network, the descent, and what is made of it.

One noun a file: `data` and `digits` hold the people, `network` their gradients, `descent` the steps. The privacy is not
computed here: `filters.holders` clips, charges and releases.
"""
