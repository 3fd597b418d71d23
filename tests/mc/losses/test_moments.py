"""Moments and characteristic functions of one step: in extended precision, and their bounds against a dense rule."""

import flint
import numpy as np
import pytest

from filterproof.mc.losses.step_moments import StepMoments
from tests.slow_cases import slow_but

DISTRIBUTIONS = [
    StepMoments(0.005, 1.0, 2.0),
    StepMoments(0.005, 0.01, 2.0),
    StepMoments(0.3, 1.0, 0.7),
    StepMoments(0.9, 1.0, 0.5),
    StepMoments(1.0, 0.5, 1.0),
]


def in_balls(distribution, power):
    """G(power) by Arb's own integral, a Gauss-Legendre rule that proves its error."""
    with flint.ctx.workprec(128):
        m, q = flint.arb(distribution.share) / flint.arb(distribution.sigma), flint.arb(distribution.q)
        power = flint.acb(power.real, power.imag)

        def integrand(u, analytic):
            ratio = 1 - q + q * (u * m - m * m / 2).exp()
            return (power * ratio.log(analytic=analytic) - u * u / 2).exp()

        far = float(m) * abs(float(power.real.mid())) + 20
        return flint.acb.integral(integrand, -far, far) / (2 * flint.arb.pi()).sqrt()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
@pytest.mark.parametrize("power", slow_but([2.5, -7.0], [2.5, 9.0, -1.0, -7.0]))
def test_arb_s_own_integrals_lie_within_the_errors(distribution, power):
    moment = distribution.real(np.array([power]))
    integral = in_balls(distribution, power)
    slack = flint.arb(0, moment.errors[0])
    assert (integral.real.log() - moment.logs[0]).overlaps(slack)
    assert moment.errors[0] < 1e-10
    assert integral.real.rad() < 1e-14 * integral.real
    theta = 0.7 / np.sqrt(distribution.q * distribution.standardised_shift)
    seen = distribution.transforms(power, float(moment.logs[0]), theta, 40)
    # removal has its loss in the exponent, addition minus that
    sign = 1 if power > 0 else -1
    for k in (1, 5, 33):
        exact = in_balls(distribution, complex(power, sign * k * theta)) / integral
        assert abs(exact) < flint.arb(seen.most[k]).exp() * (1 + 1e-15)
        if np.isfinite(seen.errors[k]):
            error = abs(exact - flint.acb(seen.logs[k].real, seen.logs[k].imag).exp())
            assert error < np.exp(seen.logs[k].real) * np.expm1(seen.errors[k])
    assert seen.errors[1] < 1e-9


@pytest.mark.parametrize("distribution", slow_but(DISTRIBUTIONS[::2], DISTRIBUTIONS), ids=str)
@pytest.mark.parametrize("power", [17.0, -16.0])
def test_no_modulus_lies_above_the_bounds_for_high_frequencies(distribution, power):
    moments = distribution.real(np.array([power]))
    decay, log_moment = float(moments.decay[0]), float(moments.logs[0])
    envelope = distribution.envelope(power, log_moment, decay)
    # by a dense rule of its own
    u = np.arange(-60.0, 60.0 + 20 * distribution.standardised_shift, 0.003)
    y = distribution.standardised_shift * u - distribution.standardised_shift**2 / 2
    losses = np.logaddexp(np.log1p(-distribution.q), np.log(distribution.q) + y) if distribution.q < 1 else y
    exponents = power * losses - u * u / 2
    weights = np.exp(exponents - exponents.max())
    weights /= weights.sum()
    spread = np.sqrt(weights @ losses**2 - (weights @ losses) ** 2)
    theta = np.geomspace(0.01, 40.0, 60) / spread
    modulus = np.array([abs(weights @ np.exp(1j * frequency * losses)) for frequency in theta])
    assert np.all(modulus <= np.exp(decay) / theta + 1e-12)
    bound = envelope.log_modulus(theta)
    # of all frequencies from each on
    assert np.all(np.log(np.maximum.accumulate(modulus[::-1])[::-1]) <= bound + 1e-9)
    assert bound[-1] < -1.0
    assert np.all(np.diff(bound) <= 1e-12)
