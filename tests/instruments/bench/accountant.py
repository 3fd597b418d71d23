"""`make accountant`: the accountant's rule and the central limit against adversaries, and what sound rules keep."""

import argparse
import datetime
import json
from pathlib import Path

from reports.chapters import central_limit, rates
from reports.chapters.accountant import CASES, measured


def main() -> None:
    """Solve the game of each case and write what it gave."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench.accountant", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    rows = []
    for epsilon, menu in CASES:
        worst = measured(epsilon, menu)
        rows.append(
            {
                "epsilon": epsilon,
                "menu": [repr(pair) for pair in menu],
                "rounds": worst.rounds,
                "low": worst.low,
                "high": worst.high,
            }
        )
        print(epsilon, [repr(pair) for pair in menu], worst, flush=True)
    kept = []
    for case in rates.CASES:
        kept.append(rates.kept_of_plans(*case))
        print(kept[-1], flush=True)
    beyond = [
        row
        for point in central_limit.POINTS
        for menu in central_limit.MENUS
        for row in central_limit.overshoot(*point, menu)
    ]
    games = [central_limit.played(*game) for game in central_limit.GAMES]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    recorded = {
        "date": today,
        "rows": rows,
        "rates": {"date": today, "rows": kept},
        "central_limit": {"date": today, "rows": beyond, "games": games},
    }
    out.write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
