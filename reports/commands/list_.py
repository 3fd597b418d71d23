"""`filterproof list`: the filters, the adversaries and the claims of the report."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from filterproof.reports.commands.console import clear_errors


def list_() -> None:
    """List the filters, the adversaries and the claims of the report."""
    from filterproof import mc
    from filterproof.filters.catalogue import CATALOGUE
    from filterproof.reports.chapters import CLAIMS

    console = Console()
    filters = Table(
        "Filter", "Guarantee of the example", "Proof or flaw", title="Filters", title_justify="left"
    )
    for entry in CATALOGUE.values():
        example = entry.example()
        name = entry.name if entry.sound else f"{entry.name} [red](unsound)[/]"
        filters.add_row(name, str(example.promise), example.proof)
    adversaries = Table("Adversary", "", title="Adversaries", title_justify="left")
    for kind in (getattr(mc, name) for name in mc.__all__):
        if isinstance(kind, type) and issubclass(kind, mc.Adversary) and kind is not mc.Adversary:
            adversaries.add_row(kind.__name__, (kind.__doc__ or "").strip().split("\n")[0])
    claims = Table("Claim", "Source", "Expected", title="Claims", title_justify="left")
    for claim in CLAIMS:
        claims.add_row(claim.sentence, claim.source, claim.expected.name)
    with clear_errors():
        for table in (filters, adversaries, claims):
            console.print(table)
