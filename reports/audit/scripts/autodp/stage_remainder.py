"""StageWiseMechanism charges three answers in a stage of four as none, less than it charges one answer."""

from autodp.mechanism_zoo import StageWiseMechanism


def epsilon(answers, stage):
    params = {"sigma": 10.0, "k": 10, "c": answers, "c_tilde": stage}
    return StageWiseMechanism(params).get_approxDP(1e-6)


got, one = epsilon(3, stage=4), epsilon(1, stage=1)
print(
    f"expected: at least {epsilon(3, stage=3):.6f}, the charge for three answers; {one:.6f} is that for one"
)
print(f"got: {got:.6f}")
raise SystemExit(0 if got < one else 1)
