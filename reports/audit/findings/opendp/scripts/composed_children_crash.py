"""Children of a noninteractive composition end the Python process when they are asked."""

import subprocess
import sys

program = """
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
child = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1.0, d_mids=[1.0])
children = dp.c.make_composition([child, child])(7.0)
children[0](dp.m.make_laplace(*space, scale=1.0))
"""
runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, check=False) for _ in range(3)]
got = [run.returncode for run in runs]
print("expected: an answer (status 0), three times")
print(f"got: statuses {got}")
raise SystemExit(0 if min(got) < 0 else 1)
