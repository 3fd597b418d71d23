"""Moments and characteristic functions of one step: in extended precision, and their bounds against a dense rule."""

from __future__ import annotations

import flint
import numpy as np
import pytest

from mc.losses.step_moments import StepMoments

LAWS = [
    StepMoments(0.005, 1.0, 2.0),
    StepMoments(0.005, 0.01, 2.0),
    StepMoments(0.3, 1.0, 0.7),
    StepMoments(0.9, 1.0, 0.5),
    StepMoments(1.0, 0.5, 1.0),
]


def integral(law, power):
    """G(power) in extended precision, by a rule fifty times as fine over a wider range."""
    real = np.longdouble
    u = np.arange(-40.0, 60.0 + 20 * law.ratio, 1 / 128).astype(real)
    m = real(law.share) / real(law.sigma)
    y, q = m * u - m * m / 2, real(law.q)
    ratio = (1 - q) + q * np.exp(y)
    density = np.exp(-u * u / 2) / np.sqrt(2 * real(np.pi)) / 128
    return np.sum(density * np.exp(power * np.log(ratio)))


def in_balls(law, power):
    """G(power) by Arb's own integral, a Gauss-Legendre rule that proves its error."""
    with flint.ctx.workprec(128):
        m, q = flint.arb(law.share) / flint.arb(law.sigma), flint.arb(law.q)
        power = flint.acb(power.real, power.imag)

        def integrand(u, analytic):
            ratio = 1 - q + q * (u * m - m * m / 2).exp()
            return (power * ratio.log(analytic=analytic) - u * u / 2).exp()

        far = float(m) * abs(float(power.real.mid())) + 20
        return flint.acb.integral(integrand, -far, far) / (2 * flint.arb.pi()).sqrt()


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("power", [2.5, -7.0])
def test_arb_s_own_integral_lies_within_the_errors(law, power):
    found = law.real(np.array([power]))
    whole = in_balls(law, power)
    slack = flint.arb(0, found.errors[0])
    assert (whole.real.log() - found.logs[0]).overlaps(slack)
    assert whole.real.rad() < 1e-20
    theta, k = 0.3 / np.sqrt(law.q * law.ratio), 5
    seen = law.transforms(power, float(found.logs[0]), theta, 10)
    exact = in_balls(law, complex(power, k * theta if power > 0 else -k * theta)) / whole
    apart = abs(exact / flint.acb(seen.logs[k].real, seen.logs[k].imag).exp() - 1)
    assert apart < np.expm1(seen.errors[k]) < 1e-9


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("power", [2.5, 9.0, -1.0, -7.0])
def test_moments_are_within_their_errors(law, power):
    found = law.real(np.array([power]))
    exact = float(np.log(integral(law, power)))
    assert abs(exact - found.logs[0]) <= found.errors[0] + 1e-15 < 1e-10


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("power", [6.0, -5.0])
def test_characteristic_functions_are_within_their_errors(law, power):
    moments = law.real(np.array([power]))
    theta = 0.7 / np.sqrt(law.q * law.ratio)
    found = law.transforms(power, float(moments.logs[0]), theta, 40)
    whole = integral(law, power)
    # removal has its loss in the exponent, addition minus that
    sign = 1 if power > 0 else -1
    for k in (0, 1, 5, 33, 39):
        exact = integral(law, complex(power, sign * k * theta)) / whole
        assert abs(exact) <= np.exp(found.most[k]) * (1 + 1e-15)
        if np.isfinite(found.errors[k]):
            apart = abs(exact - complex(np.exp(found.logs[k])))
            assert apart <= np.exp(found.logs[k].real) * np.expm1(found.errors[k])
    assert found.errors[1] < 1e-9


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("power", [17.0, -16.0])
def test_no_modulus_lies_above_the_bounds_for_high_frequencies(law, power):
    moments = law.real(np.array([power]))
    decay, log_moment = float(moments.decay[0]), float(moments.logs[0])
    envelope = law.envelope(power, log_moment, decay)
    # by a dense rule of its own
    u = np.arange(-60.0, 60.0 + 20 * law.ratio, 0.003)
    y = law.ratio * u - law.ratio**2 / 2
    losses = np.logaddexp(np.log1p(-law.q), np.log(law.q) + y) if law.q < 1 else y
    exponents = power * losses - u * u / 2
    weights = np.exp(exponents - exponents.max())
    weights /= weights.sum()
    spread = np.sqrt(weights @ losses**2 - (weights @ losses) ** 2)
    theta = np.geomspace(0.01, 40.0, 60) / spread
    modulus = np.array([abs(weights @ np.exp(1j * one * losses)) for one in theta])
    assert np.all(modulus <= np.exp(decay) / theta + 1e-12)
    bound = envelope.log_modulus(theta)
    # of all frequencies from each on
    assert np.all(np.log(np.maximum.accumulate(modulus[::-1])[::-1]) <= bound + 1e-9)
    assert bound[-1] < -1.0
    assert np.all(np.diff(bound) <= 1e-12)
