"""histogram(weights=...) adds noise of sensitivity 1, whatever a record weighs."""

from diffprivlib.tools import histogram

above = []
for sample in ([0.5], []):
    given = {"epsilon": 1.0, "bins": 1, "range": (0, 1), "weights": [1000.0] * len(sample)}
    above.append(sum(histogram(sample, **given)[0][0] > 500 for _ in range(200)))
print("expected: shares of counts above 500 within a factor e, for samples that differ in one record")
print(f"got: {above[0]} of 200 against {above[1]} of 200")
raise SystemExit(0 if above == [200, 0] else 1)
