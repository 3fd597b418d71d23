"""What importing the theory costs."""

import subprocess
import sys


def test_importing_the_theory_loads_neither_sympy_nor_mpmath() -> None:
    question = "import sys, theory; print({'sympy', 'mpmath'} & set(sys.modules) or 'none')"
    answer = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "none"
