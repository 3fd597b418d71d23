"""A privacy filter over a Renyi odometer ends the whole Python process."""

import subprocess
import sys

program = """
import opendp.prelude as dp
dp.enable_features("contrib", "honest-but-curious")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.renyi_divergence())
limit = dp.new_function(lambda alpha: alpha, TO=float)
try: dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=limit)
except Exception: pass
"""
status = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode
print("expected: a filter, or an exception (status 0)")
print(f"got: status {status}")
raise SystemExit(0 if status < 0 else 1)
