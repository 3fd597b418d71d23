"""The benchmarks of `make bench`, by pytest-benchmark: what shares a group is compared, in one run."""

import platform
from typing import Any

import numpy as np
import pytest

from filterproof.mc.runs.executors import available_cores


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_json(config: Any, benchmarks: Any, output_json: dict[str, Any]) -> None:
    """Keep what the report shows of the machine and of each benchmark, and of the commit its name."""
    output_json["machine_info"] = {
        "cores": available_cores(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    output_json["commit_info"] = {"id": output_json["commit_info"].get("id")}
    for benchmark in output_json["benchmarks"]:
        benchmark["stats"] = {name: benchmark["stats"][name] for name in ("median", "iqr", "rounds")}
