"""Faults of opake-accounting: each test fails in a version that has the fault."""

import math

import opake.accounting as acc
from opake.api.accounting.core import opake_accounting as native

NAN, INFINITE = float("nan"), float("inf")


class TestOpake:
    def test_infinite_epsilon_is_free(self):
        spent = acc.Accountant(budget=acc.epsilon_budget(1.0, delta=1e-5)) | acc.eps_delta(0.5, 0.0) * 4
        refunded = spent | acc.eps_delta(INFINITE, 0.0)
        words = f"advantage = {refunded.advantage():.6f}, and epsilon = {refunded.epsilon_at(1e-5)}, where it was "
        words += f"{spent.epsilon_at(1e-5):.6f}; exceeded: {spent.budget_exceeded}, then {refunded.budget_exceeded}"
        assert refunded.advantage() >= 0.5 or refunded.budget_exceeded, words

    def test_nan_budget_is_never_exceeded(self):
        budget = acc.epsilon_budget(NAN, delta=1e-5)
        spent = acc.Accountant(budget=budget) | acc.nonprivate()
        got = f"{budget}, exceeded by epsilon = {spent.epsilon_at(1e-5)}: {spent.budget_exceeded}"
        assert spent.budget_exceeded, got

    def test_nan_mechanism_is_free(self):
        spent = acc.Accountant(budget=acc.epsilon_budget(1.0, delta=1e-5)) | acc.eps_delta(0.5, 0.0)
        after = spent | acc.eps_delta(NAN, 0.0) * 100
        epsilons = [accountant.epsilon_at(1e-5) for accountant in (spent, after)]
        exceeded, words = (
            after.budget_exceeded,
            f"epsilon = {epsilons[0]:.6f} before, {epsilons[1]:.6f} after",
        )
        assert epsilons[1] > epsilons[0] or exceeded, f"{words}; exceeded: {exceeded}"

    def test_small_noise_is_no_loss(self):
        config = native.DiscretizationConfig()
        tiny, small = native.gaussian_pld(1e-5, config), native.gaussian_pld(0.02, config)
        words = f"{tiny.advantage():.6f}, and epsilon = {tiny.epsilon_at(1e-5)}; with noise 0.02 "
        twice = small.self_compose(2)
        words += f"{small.epsilon_at(1e-5)} for one release, {twice.epsilon_at(1e-5):.2f} for two"
        assert tiny.advantage() >= 0.5, words

    def test_tiny_delta_vanishes(self):
        # 10,000 releases with noise 100 are one with noise 1
        loss = native.gaussian_pld(100.0, native.DiscretizationConfig()).self_compose(10_000)

        def true(epsilon):
            upper, lower = (math.erfc((epsilon + sign / 2) / math.sqrt(2)) / 2 for sign in (-1, 1))
            return upper - math.exp(epsilon) * lower

        worst = min((7.5 + i / 100 for i in range(90)), key=lambda e: loss.delta_at(e) / true(e))
        got = loss.delta_at(worst)
        assert got >= min(0.9 * true(worst), loss.infinity_mass), f"{got:.4g} at epsilon = {worst}"
