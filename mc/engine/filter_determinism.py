"""A check, by a few rounds of a game, that a filter keeps all of its changing data in its state."""

from __future__ import annotations

import math

import numpy as np

from filterproof.filters.contract.determinism import SAMPLED_REQUESTS, SampleRun, check_determinism
from filterproof.filters.contract.state import read_only
from filterproof.mc.engine.adversary import AdversaryView, checked_request
from filterproof.mc.engine.game import Game


def check_filter_determinism(game: Game) -> None:
    """Check with the adversary's first requests that the filter's decisions follow from its state."""

    def play_first_requests(run: SampleRun) -> None:
        """Make the adversary's first requests in one run, with drawn losses, until a denial."""
        foe, filt, rng = game.adversary, game.filter, np.random.default_rng(0)
        memory, total, last = foe.start(filt, 1, rng), np.zeros(1), np.zeros(1)
        for t in range(min(game.rounds, SAMPLED_REQUESTS)):
            view = AdversaryView(t, *read_only((total, last, run.state)), memory, filt, rng)
            request = checked_request(foe, "request", view).of_run(0)
            last = request.sample(rng, 1) if game.direction == "PQ" else -request.swapped.sample(rng, 1)
            if not math.isfinite(last[0]):
                return
            if run.ask(request, float(last[0])):
                total = total + last
            elif game.waits:
                last = np.zeros(1)
            else:
                return

    check_determinism(game.filter, play_first_requests)
