"""With an infinite noise multiplier, or one that is not a number, RDPAccountant does not answer."""

import signal

from opacus.accountants import RDPAccountant


def stop(*_):
    print("expected: an answer, or an error from step\ngot: none after 5 seconds")
    raise SystemExit(0)


accountant = RDPAccountant()
accountant.step(noise_multiplier=float("inf"), sample_rate=0.01)
signal.signal(signal.SIGALRM, stop)
signal.alarm(5)
got = accountant.get_epsilon(delta=1e-5)
print(f"expected: an answer, or an error from step\ngot: {got}")
raise SystemExit(1)
