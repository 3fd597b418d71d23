"""histogram costs epsilon where a record is added, and two epsilon where one is replaced, for which mean costs one."""

from diffprivlib.tools import histogram

told = []
for sample in ([0.2] * 5, [0.2] * 4 + [0.8]):
    drawn = [
        histogram(sample, epsilon=1.0, bins=2, range=(0, 1), random_state=seed)[0] for seed in range(3000)
    ]
    told.append(sum(bool(left >= 5 and right <= 0) for left, right in drawn))
print(
    "expected: shares of (left >= 5, right = 0) within a factor e, for samples of which one record is replaced"
)
print(f"got: {told[0]} of 3000 against {told[1]} of 3000")
raise SystemExit(0 if told[0] > 5 * told[1] else 1)
