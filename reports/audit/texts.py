"""A text for each fault, fit for an issue in the library's own tracker: version, snippet, expected, got, why, a fix."""

from __future__ import annotations

import re

from reports.audit.audited import AuditedFault, AuditedLibrary


def issue_text(library: AuditedLibrary, found: AuditedFault) -> str:
    """The text in Markdown. It is written to a file and sent nowhere."""
    fault = found.fault
    values = zip(fault.routes, found.values, strict=True)
    routes = "".join(f"- {route.how}: {value!r}\n" for route, value in values)
    truth = f"\nThe true value, by routes that share no code:\n\n{routes}" if routes else ""
    title, more = titled(fault.says)
    what = f"{more}\n\n" if more else ""
    return (
        f"# {title}\n\n"
        f"{library.distribution} {library.version}, Python {library.python}, `{fault.entry}` ({fault.kind.value}).\n\n"
        f"{what}```python\n{found.script.rstrip()}\n```\n\n"
        f"Expected: {found.expected}\n\nGot: {found.got}\n{truth}\n"
        f"Why it matters: {fault.why}\n\nA possible fix: {fault.fix}\n"
    )


def titled(words: str) -> tuple[str, str]:
    """The first sentence as a title, with a capital letter and no full stop, and the sentences after it."""
    first, *rest = re.split(r"(?<=\.)\s+(?=[A-Z])", words, maxsplit=1)
    return f"{first[:1].upper()}{first[1:]}".rstrip("."), " ".join(rest)
