"""`filterproof retrain`: the papers' convolutional network, trained with individual filtering on a folder of images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reports.commands.console import clear_errors, counting_bar, say
from theory.numerics.decimals import interval


def retrain(
    folder: Annotated[
        Path, typer.Argument(help="IDX files as MNIST has them: train-images-idx3-ubyte and the others.")
    ],
    epsilon: Annotated[float, typer.Option(help="What is promised, together with --delta.")] = 1.0,
    delta: Annotated[float, typer.Option()] = 1e-5,
    clip: Annotated[float, typer.Option(help="The most that a gradient's norm counts.")] = 10.0,
    rate: Annotated[float, typer.Option(help="The rate of the descent.")] = 0.2,
    steps: Annotated[
        int | None, typer.Option(help="Full clips that everyone's budget covers; 420 without --sigma.")
    ] = None,
    sigma: Annotated[float | None, typer.Option(help="The noise in clips, in place of --steps.")] = None,
    most_steps: Annotated[int | None, typer.Option(help="Where it ends; by default 35 steps later.")] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for model.npz; its folder private/ is for no other eyes.")
    ] = Path("filterproof-retrained"),
    seed: Annotated[
        int | None, typer.Option(help="For tests alone: whoever knows it can subtract the noise.")
    ] = None,
) -> None:
    """Train 000's convolutional network on a folder of IDX files, by private gradient descent with filtering.

    Needs Torch and Opacus, the extra 'training'. Each step is kept when it is done: the same call goes on where it was.
    """
    with clear_errors():
        from mc.training.retraining import StepTaken, train_idx

        with counting_bar() as bar:
            task = bar.add_task("training", total=None)

            def told(taken: StepTaken) -> None:
                words = f"test accuracy {taken.accuracy.value:.3f}"
                bar.update(task, completed=taken.step, total=taken.most_steps, description=words)

            outcome = train_idx(
                folder,
                epsilon=epsilon,
                delta=delta,
                clip=clip,
                rate=rate,
                steps=420 if steps is None and sigma is None else steps,
                sigma=sigma,
                most_steps=most_steps,
                out=out,
                seed=seed,
                on_step=told,
            )
        say(
            f"({outcome.epsilon:g}, {outcome.delta:g})-DP after {outcome.taken} steps, {outcome.steps} at the full "
            f"clip with noise {outcome.sigma:.6g} clips; test accuracy {outcome.accuracy.value:.4f} in "
            f"{interval(outcome.accuracy.low, outcome.accuracy.high, 4)} at 95 %: {outcome.model}"
        )
