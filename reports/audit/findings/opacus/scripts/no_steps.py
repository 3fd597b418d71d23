"""Before the first step RDPAccountant answers 0, and the two others raise errors about something else."""

from opacus.accountants import GaussianAccountant, PRVAccountant, RDPAccountant

got = []
for accountant in (RDPAccountant(), PRVAccountant(), GaussianAccountant()):
    try:
        got.append(str(accountant.get_epsilon(delta=1e-5)))
    except (IndexError, ValueError) as error:
        got.append(f"{type(error).__name__} ({error})")
print("expected: 0, 0, 0")
print("got: " + ", ".join(got))
raise SystemExit(0 if got != ["0", "0", "0"] else 1)
