"""A mechanism of infinite epsilon, composed with any other, has no loss at all: it refunds what was spent."""

import opake.accounting as acc

budget = acc.epsilon_budget(1.0, delta=1e-5)
spent = acc.Accountant(budget=budget) | acc.eps_delta(0.5, 0.0) * 4
refunded = spent | acc.eps_delta(float("inf"), 0.0)
print("expected: advantage = 1, and epsilon = inf")
print(
    f"got: advantage = {refunded.advantage():.6f}, and epsilon = {refunded.epsilon_at(1e-5)}, where it was ",
    end="",
)
print(f"{spent.epsilon_at(1e-5):.6f}; exceeded: {spent.budget_exceeded}, then {refunded.budget_exceeded}")
raise SystemExit(0 if refunded.advantage() < 0.5 and not refunded.budget_exceeded else 1)
