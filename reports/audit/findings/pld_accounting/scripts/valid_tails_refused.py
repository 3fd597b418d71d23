"""Tail budgets of 1e-15 and 1e-16 are refused for ordinary noise: the library's own grid is no distribution to it."""

from PLD_accounting import AllocationSchemeConfig, PrivacyParams, gaussian_allocation_pld

messages = []
for sigma in (0.5, 0.7, 1.0):
    for tail in (1e-15, 1e-16):
        try:
            gaussian_allocation_pld(
                params=PrivacyParams(sigma=sigma, num_steps=1),
                config=AllocationSchemeConfig(tail_truncation=tail),
            )
        except ValueError as error:
            messages.append(str(error))
print("expected: none of six settings is refused")
print(f"got: {len(messages)} are, the first for {messages[0] if messages else None}")
raise SystemExit(0 if messages else 1)
