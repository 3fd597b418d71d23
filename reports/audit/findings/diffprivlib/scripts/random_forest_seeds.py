"""A fitted RandomForestClassifier keeps the seed of each tree's noise, though no random_state was given."""

import numpy as np
from diffprivlib.models import RandomForestClassifier
from sklearn.base import clone

X, known, told = np.zeros((11, 1)), np.array([0, 1] * 5), []
for secret in [0, 1] * 40:
    forest = RandomForestClassifier(1, epsilon=1.0, bounds=(0, 1), classes=[0, 1], max_depth=1)
    (tree,) = forest.fit(X, np.append(known, secret)).estimators_
    again = [clone(tree).fit(X, np.append(known, guess)) for guess in (secret, 1 - secret)]
    told.append([bool(np.array_equal(one.tree_.value, tree.tree_.value)) for one in again])
right, wrong = np.sum(told, axis=0)
print("expected: both labels of one record could have led to each forest, as epsilon = 1 asks")
print(
    f"got: {right} of 80 forests arise again from the true label and the kept seed, {wrong} from the other label"
)
raise SystemExit(0 if right == 80 > wrong + 10 else 1)
