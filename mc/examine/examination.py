"""An examination: the findings of all stages about one filter, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.formatting import filter_name
from filterproof.mc.examine.replay_snippets import is_outside_catalogue, replay_command, target_of
from filterproof.mc.examine.stage_finding import (
    STOPPED_AFTER,
    STOPPED_BY_INTERRUPT,
    UNFINISHED,
    USED_UP,
    StageFinding,
    Tightness,
)
from filterproof.mc.examine.trace import Trace
from filterproof.mc.runs.provenance import version
from filterproof.theory.display import (
    Displayed,
    Row,
    finite_data,
    json_text,
    load_renderer,
    replace_unprintable,
    row_of,
)
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import Guarantee

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The version of the layout of verdict.json.
SCHEMA = 2
#: Stages about requests and code that do not attack.
_NO_ATTACKS = frozenset({"admission", "invariants", "denials", "certificate", "source", "tightness"})


@dataclass(frozen=True, slots=True, repr=False)
class Examination(Displayed):
    """The result of `verify`: the findings about one filter, and the verdict that follows from them.

    `str()` gives the verdict, one line a stage, and the counterexample with the command that replays it.

    Attributes
    ----------
    filter : PrivacyFilter
        The filter or accountant.
    mechanisms : tuple of str
        The families of mechanisms that the requests came from.
    findings : tuple of StageFinding
        What each stage asked, found, and did not look at.
    seed : int
        The random seed.
    failure : float
        An upper bound on the probability that a statistical refutation is false.
    promise : Guarantee or None
        The filter's guarantee; None if the filter's code failed before it gave one.
    scope : str
        The class of adversaries that the guarantee covers, in words; '' if the filter's code did not give it.
    effort : float
        The amount of work that `verify` was given.
    target : str, sequence of str or None
        The name of the filter on the command line, with the options that it needs.
    refutation : StageFinding or None
        The finding with the counterexample that is easiest to understand, by `Counterexample.order`.
    """

    filter: PrivacyFilter
    mechanisms: tuple[str, ...]
    findings: tuple[StageFinding, ...]
    seed: int
    failure: float
    promise: Guarantee | None = None
    scope: str = ""
    effort: float = 1.0
    target: str | Sequence[str] | None = None
    refutation: StageFinding | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # of equal findings the last one, which was reported
        refuted = [
            (each.counterexample.order, each) for each in reversed(self.findings) if each.counterexample
        ]
        object.__setattr__(self, "refutation", min(refuted, key=itemgetter(0), default=(0, None))[1])

    @property
    def name(self) -> str:
        """Return the filter's name on the command line, or else that of its class, command or object."""
        if self.target is not None:
            target = self.target if isinstance(self.target, str) else self.target[0]
            return replace_unprintable(target.rpartition("::")[2])
        return filter_name(self.filter)

    @property
    def stopped(self) -> str:
        """Return what ended the examination early: Ctrl-C or the time limit; or ''."""
        ends = (finding.result for finding in self.findings if finding.not_tried == UNFINISHED)
        return next((end for end in ends if end.startswith((STOPPED_BY_INTERRUPT, STOPPED_AFTER))), "")

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the faults of the filter's code, each as a sentence."""
        return tuple(dict.fromkeys(finding.fault for finding in self.findings if finding.fault))

    @property
    def admits_something(self) -> bool:
        """Return whether some request was granted."""
        return any(not (cut or result.startswith("nothing")) for result, cut in self._admission)

    @property
    def _contradicts_theorem(self) -> bool:
        """Return whether a counterexample exceeds what a theorem proves; a theorem is about declared charges."""
        counterexample = self.counterexample
        proved = self._theorem_verdict is not None and not self.exceeds_by_rounding
        return counterexample is not None and proved and not counterexample.own_pairs

    @property
    def _denies_all(self) -> bool:
        """Return whether the filter granted none of the requests that were tried."""
        ended = any(cut for _, cut in self._admission)
        return not (self.admits_something or ended)

    @property
    def _admission(self) -> list[tuple[str, bool]]:
        """Return what the filter grants, by each finding, and whether its stage was ended."""
        return [
            (each.result, each.not_tried == UNFINISHED) for each in self.findings if each.stage == "admission"
        ]

    @property
    def counterexample(self) -> Counterexample | None:
        """Return the counterexample of `refutation`; None if nothing was refuted."""
        return None if self.refutation is None else self.refutation.counterexample

    @property
    def trace(self) -> Trace | None:
        """Return the trace of the counterexample, round by round; None if it has none."""
        return None if self.refutation is None else self.refutation.trace

    @property
    def tightness(self) -> tuple[Tightness, ...]:
        """Return best attack, worst case and guarantee for each divergence and menu, nearest to the guarantee first."""
        rows = (row for finding in self.findings for row in finding.tightness)
        distinct = {(row.measure, row.menu, row.attack): row for row in rows}
        return tuple(sorted(distinct.values(), key=lambda row: -row.share))

    @property
    def closest(self) -> Tightness | None:
        """Return the row of the granted play nearest to the guarantee, or None.

        It is certified and replays (`closest.play`). None if something was refuted or no play was compared.
        """
        nearest = (finding.tightness for finding in self.findings if finding.stage == "tightness")
        return next(chain.from_iterable(nearest), None) if self.counterexample is None else None

    @property
    def verdict(self) -> Verdict:
        """Return REFUTED by a counterexample, HOLDS by a theorem that covers the code that ran, else UNDECIDED.

        A bound on one menu stays with its finding and leaves the verdict UNDECIDED. So does a contradiction between a
        theorem and a counterexample.
        """
        proved = self._theorem_verdict
        if self._contradicts_theorem:
            assert proved is not None
            both = f"Theorem: {proved.detail}. Counterexample: {self.counterexample}"
            detail = f"no verdict: {Ending.DISAGREEMENT.value}. {both}"
            return Verdict(Outcome.UNDECIDED, proved.evidence, proved.scope, detail)
        if self.exceeds_by_rounding and proved is not None:
            detail = f"{proved.detail}. Rounding alone exceeds the guarantee, within the bound of the proof"
            return replace(proved, detail=detail)
        if self.refutation is not None and self.refutation.verdict is not None:
            return self.refutation.verdict
        if self.faults:
            detail = f"no verdict: {'; '.join(self.faults)}"
        elif self._denies_all and not self.stopped:
            detail = f"no verdict: {Ending.NOT_EXAMINED.value}"
        elif proved is not None:
            return proved
        else:
            detail = self._no_violation_text()
        scope = self.scope or "every adaptive adversary"
        # the evidence is as weak as the weakest comparison with the guarantee
        evidences = (row.evidence for row in self.tightness)
        evidence = max(evidences, key=lambda one: one.weakness_rank, default=Evidence.CERTIFIED)
        return Verdict(Outcome.UNDECIDED, evidence, scope, detail)

    @property
    def exceeds_by_rounding(self) -> bool:
        """Return whether there are counterexamples, all within the rounding that a source proof allows for a sum."""
        sums = next((each.rounding for each in self.findings if each.covers_all and each.rounding), ())
        counterexamples = [each.counterexample for each in self.findings if each.counterexample is not None]
        if not sums or not counterexamples:
            return False
        from filterproof.mc.prove.sum_bounds import guarantees_after_grants  # imports certified budgets

        def promised(play: Counterexample) -> float:
            return max(map(play.measure.promised, guarantees_after_grants(sums, play.rounds)))

        return not any(certainly_exceeds(each.value, promised(each)) for each in counterexamples)

    @property
    def _theorem_verdict(self) -> Verdict | None:
        """Return the verdict of a theorem that covers the code that ran, or None."""
        covering = (finding.verdict for finding in self.findings if finding.covers_all)
        return next((each for each in covering if each is not None and each.outcome is Outcome.HOLDS), None)

    @property
    def not_tried(self) -> str:
        """Return what the attacking stages did not cover. The guarantee may be false there."""
        summaries, late = dict[str, str](), dict[str, None]()
        for finding in self.findings:
            if not finding.not_tried or finding.stage in _NO_ATTACKS:
                continue
            first = finding.not_tried.split("; ")[0].removesuffix(f": {USED_UP}")
            if finding.not_tried.endswith(USED_UP) or finding.result == USED_UP:
                late[finding.stage] = None
            # the last finding of a stage is its summary
            if first != UNFINISHED or finding.stage not in summaries:
                summaries[finding.stage] = f"{first} ({finding.stage})"
        cut = [f"the work limit ended {', '.join(late)}"] if late else []
        return "; ".join([*summaries.values(), *cut])

    def _no_violation_text(self) -> str:
        """Return the sentence for UNDECIDED: the closest attack and what was not tried."""
        closest = next(iter(self.tightness), None) if self.closest is None else self.closest
        near = "Nothing could be compared with the guarantee"
        if closest is not None:
            near = f"Closest attack: {closest.reached}"
        left = f". Not tried: {self.not_tried}" if self.not_tried else ""
        cut = f"{self.stopped}: " if self.stopped else ""
        return f"{cut}No violation found. This is not a proof. {near}{left}"

    @property
    def promised(self) -> str:
        """Return the filter's guarantee in words."""
        return str(self.promise or "no guarantee that its code could state")

    @property
    def ending(self) -> Ending:
        """Return the outcome of the verdict, or the reason why there is no verdict."""
        if self._contradicts_theorem:
            return Ending.DISAGREEMENT
        if self.refutation is None:
            if self.faults:
                return Ending.FAULTY
            if self.out_of_time:
                return Ending.OUT_OF_TIME
            if self._denies_all:
                return Ending.NOT_EXAMINED
        return Ending[self.verdict.outcome.name]

    @property
    def has_verdict(self) -> bool:
        """Return whether there is a verdict: REFUTED, HOLDS or UNDECIDED."""
        return self.ending.name in Outcome.__members__

    @property
    def headline(self) -> str:
        """Return REFUTED, HOLDS or UNDECIDED; without a verdict FAULTY, NOT EXAMINED, OUT OF TIME or DISAGREEMENT."""
        return self.ending.name.replace("_", " ")

    @property
    def out_of_time(self) -> bool:
        """Return whether the time limit ended the examination before any result: the filter may hang."""
        answered = any(finding.verdict is not None or finding.tightness for finding in self.findings)
        return self.stopped.startswith(STOPPED_AFTER) and not answered and not self.faults

    @property
    def conclusion(self) -> str:
        """Return the headline with its evidence, its scope and the theorems that it uses."""
        return str(self.verdict) if self.has_verdict else f"{self.headline}: {self.ending.value}"

    @property
    def sentence(self) -> str:
        """Return the filter, its guarantee and the conclusion in one sentence."""
        return f"{self.name}, promised {self.promised}: {self.conclusion}"

    @property
    def detail(self) -> str:
        """Return the reason for HOLDS, or the closest attack for UNDECIDED; '' for REFUTED."""
        return self.verdict.detail if self.ending in (Ending.HOLDS, Ending.UNDECIDED) else ""

    def replay_command(self, folder: Path = Path("out")) -> str:
        """Return the command that replays the counterexample of a saved examination; '' without a counterexample."""
        if (counterexample := self.counterexample) is None:
            return ""
        outside = is_outside_catalogue(counterexample)
        target = (self.target or target_of(counterexample.filter)) if outside else None
        return replay_command(folder / "verdict.json", target=target)

    @property
    def refutations(self) -> dict[str, StageFinding]:
        """Return the finding that the report shows for each refuting stage, by the stage's name."""
        shown: dict[str, StageFinding] = {}
        for finding in (finding for finding in self.findings if finding.counterexample is not None):
            if finding.counterexample is self.counterexample or finding.stage not in shown:
                shown[finding.stage] = finding
        return shown

    def result_of(self, finding: StageFinding) -> str:
        """Return a finding's result as text; shorter for the counterexample that is shown."""
        if finding.counterexample is not None and finding.counterexample is self.counterexample:
            how = "exceeded by rounding alone" if self.exceeds_by_rounding else "refuted"
            return f"{how}, by the counterexample that is shown"
        return finding.result

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, folder: Path | None = None) -> list[str]:
        """Return the lines of `str()`; `folder` is the folder of the saved examination."""
        lines = [self.sentence, *filter(None, [self.detail]), *self.faults]
        for stage in dict.fromkeys(finding.stage for finding in self.findings):
            lines += self._stage_lines(stage)
        if self.counterexample is not None:
            saved = "" if folder is not None else 'exam.save("out"), then '
            what = "Rounding alone" if self.exceeds_by_rounding else "Counterexample"
            lines.append(f"{what}: {self.counterexample}")
            lines += [f"  {line}" for line in (self.trace.lines if self.trace else ())]
            lines.append(f"Again: {saved}{self.replay_command(folder or Path('out'))}")
        return lines

    def _stage_lines(self, stage: str) -> Iterator[str]:
        """Yield a line for a stage, its refutation or else its last finding, and its notes."""
        findings = [finding for finding in self.findings if finding.stage == stage]
        others = sum(finding.counterexample is not None for finding in findings) - 1
        # an ended stage summarises its work before it reports its end
        summed_up = [finding for finding in findings if finding.not_tried != UNFINISHED] or findings
        shown_finding = self.refutations.get(stage, summed_up[-1])
        more = f" (and {others} more)" if others > 0 else ""
        result = self.result_of(shown_finding)
        yield f"  {stage:<11} {result if len(result) <= 200 else f'{result[:196]} ...'}{more}"
        notes = dict.fromkeys(note for finding in findings for note in finding.notes)
        yield from (f"{'':<14}{note}" for note in notes if note != shown_finding.result)

    def to_data(self) -> dict[str, Any]:
        """Return the data of verdict.json."""
        trace, play = self.trace, None if self.closest is None else self.closest.play
        data = {
            "schema": SCHEMA,
            "filterproof": version(),
            "filter": self.name,
            "promise": self.promised,
            "status": self.headline,
            **_verdict_data(self.verdict),
            "faults": list(self.faults),
            "findings": [
                row_of(finding, "stage", "question", "result", "menu", "not_tried")
                | {"verdict": None if finding.verdict is None else _verdict_data(finding.verdict)}
                | {"covers_all": finding.covers_all, "fault": finding.fault, "notes": list(finding.notes)}
                for finding in self.findings
            ],
            "tightness": self.rows(),
            "counterexample": None if self.counterexample is None else self.counterexample.to_data(),
            "closest": None if play is None else play.to_data(),
            "trace": None if trace is None else asdict(trace) | {"measure": str(trace.measure)},
            "failure": self.failure,
            "mechanisms": list(self.mechanisms),
            "seed": self.seed,
            "effort": self.effort,
            "stopped": self.stopped,
        }
        return {name: finite_data(value) for name, value in data.items()}

    def json(self) -> str:
        """Return the text of verdict.json."""
        return json_text(self.to_data())

    def rows(self) -> list[Row]:
        """Return one row for each divergence and menu: best attack, worst case, guarantee, and attack / guarantee."""
        columns = ("menu", "attack", "worst", "promised", "share", "evidence")
        return [
            row_of(row.measure, "kind", "at", "direction") | row_of(row, *columns) for row in self.tightness
        ]

    def __repr__(self) -> str:
        return f"Examination({self.name}, promised {self.promised}: {self.headline})"

    def plot(self) -> Figure:
        """Draw the attacks that come closest to the guarantee, with worst cases and guarantees.

        Returns
        -------
        matplotlib.figure.Figure
            A new figure of at most 14 attacks.

        Raises
        ------
        ValueError
            If no attack was compared with the guarantee.
        """
        figure: Figure = load_renderer().tightness(self)
        return figure

    def save(self, out: str | Path) -> Path:
        """Write report.html and verdict.json into a folder: both files or none.

        Parameters
        ----------
        out : str or Path
            The folder. It is created if it does not exist.

        Returns
        -------
        Path
            The path of report.html.

        Raises
        ------
        OSError
            If the folder cannot be written to.
        """
        page: Path = load_renderer().save(self, Path(out))
        return page


class PartialExamination(KeyboardInterrupt):
    """The interrupt that Ctrl-C raises in an examination; it carries the findings so far."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        super().__init__(STOPPED_BY_INTERRUPT)


def _verdict_data(verdict: Verdict) -> dict[str, Any]:
    row = row_of(verdict, "evidence", "scope", "detail")
    return {"verdict": verdict.outcome.name, **row, "citations": list(verdict.citations)}
