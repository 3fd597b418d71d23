"""A session that stores itself in a file: each change is on the disk before the session answers.

The file has the SHA-256 of a line of JSON, a newline, and that line, the return value of `Session.to_dict`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256

from filterproof.filters.accountants.journal_file import JournalError, JournalFile, journal_path
from filterproof.filters.accountants.session import Session
from filterproof.filters.contract.filter_base import FilterBase, OnDenial


def open_session(
    filt: FilterBase, journal: str | os.PathLike[str], on_denial: OnDenial, key: bytes | None
) -> Session:
    """Restore the session in the file, or start one in a new file."""
    path = journal_path(journal)
    if path.exists():
        file, content = JournalFile.open(path)
        with file.close_on_error():
            session = Session.from_dict(_parse_session(content, str(path)), filt, on_denial, key=key)
    else:
        session = Session(filt, on_denial, key=key)
        file = JournalFile.create(path, [_session_bytes(session.to_dict())])
    session.record_changes_with(lambda saved: file.write([_session_bytes(saved)]), file.close)
    return session


def _session_bytes(saved: Mapping[str, object]) -> bytes:
    line = json.dumps(saved).encode()
    return sha256(line).hexdigest().encode() + b"\n" + line


def _parse_session(content: bytes, path: str) -> Mapping[str, object]:
    digest, _, line = content.partition(b"\n")
    if sha256(line).hexdigest().encode() != digest:
        raise JournalError(
            f"journal must be a whole file that a session wrote, got {path!r} with other content; restore the file "
            "as it was last written, or treat the budget as spent"
        )
    saved: Mapping[str, object] = json.loads(line)
    return saved
