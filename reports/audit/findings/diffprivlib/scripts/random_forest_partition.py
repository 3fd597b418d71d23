"""RandomForestClassifier deals records to trees by position: one more record moves another in every tree."""

import numpy as np
from diffprivlib.models import RandomForestClassifier

told, labels = [], np.repeat([0, 1] * 5, 2)  # two records of one label for each of ten trees
for y in (labels, np.append(labels, 0)):
    turned, given = [], {"epsilon": 1.0, "bounds": (0, 1), "classes": [0, 1]}
    for seed in range(80):
        forest = RandomForestClassifier(10, random_state=seed, **given).fit(np.zeros((len(y), 1)), y)
        answers = np.array([tree.predict([[0.0]])[0] for tree in forest.estimators_])
        turned.append(bool((answers != labels[::2]).sum() >= 4))
    told.append(sum(turned))
print("expected: shares of forests with four or more trees turned within a factor e, for one record more")
print(f"got: {told[0]} of 80 against {told[1]} of 80")
raise SystemExit(0 if told[1] > 40 > 10 * told[0] else 1)
