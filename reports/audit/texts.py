"""A text for each fault, fit for an issue in the library's own tracker: version, snippet, expected, got, why, a fix."""

from __future__ import annotations

from reports.audit.audited import AuditedFault, AuditedLibrary

__all__ = ["issue_text", "sentence"]


def issue_text(library: AuditedLibrary, fault: AuditedFault) -> str:
    """The text in Markdown. It is written to a file and sent nowhere."""
    routes = "".join(f"- {how}: {value!r}\n" for how, value in fault.routes)
    truth = f"\nThe true value, by routes that share no code:\n\n{routes}" if routes else ""
    return (
        f"# {sentence(fault.says)}\n\n"
        f"{library.distribution} {library.version}, Python {library.python}, `{fault.entry}` ({fault.kind.value}).\n\n"
        f"```python\n{fault.script.rstrip()}\n```\n\n"
        f"Expected: {fault.expected}\n\nGot: {fault.got}\n{truth}\n"
        f"Why it matters: {fault.why}\n\nA possible fix: {fault.fix}\n"
    )


def sentence(words: str) -> str:
    """The words with a capital letter first, and without a full stop at the end: a title."""
    return f"{words[:1].upper()}{words[1:]}".rstrip(".")
