"""A session with a journal continues after a restart as without one, and never grants what it cannot record."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp


@given(
    mus=st.lists(st.floats(0.05, 0.9), min_size=1, max_size=8),
    restarts=st.sets(st.integers(0, 7)),
    on_denial=st.sampled_from(["halt", "retry"]),
)
def test_restarts_change_no_decision(
    tmp_path_factory: pytest.TempPathFactory, mus: list[float], restarts: set[int], on_denial: str
) -> None:
    filt, path = fp.GaussianFilter(mu=1.0), tmp_path_factory.mktemp("sessions") / "journal"
    uninterrupted, session = filt.open(on_denial), filt.open(on_denial, journal=path)  # type: ignore[arg-type]
    for number, mu in enumerate(mus):
        if number in restarts:
            session.close()
            session = filt.open(on_denial, journal=path)  # type: ignore[arg-type]
        if uninterrupted.halted:
            assert session.halted
            break
        assert session.request(fp.Gaussian(mu)) == uninterrupted.request(fp.Gaussian(mu))
    assert session.to_dict() == uninterrupted.to_dict()


def test_a_halt_ends_a_loop_after_a_restart_too(tmp_path: Path) -> None:
    filt, path = fp.GaussianFilter(mu=1.0), tmp_path / "journal"
    first = filt.open(journal=path)
    assert not first.request(fp.Gaussian(1.5))
    first.close()
    second = filt.open(journal=path)
    assert not second.request(fp.Gaussian(0.1))
    with pytest.raises(fp.FilterHaltedError):
        second.request(fp.Gaussian(0.1))


@pytest.mark.parametrize("place", [0, 65, -1])
def test_a_damaged_journal_is_refused(tmp_path: Path, place: int) -> None:
    filt, path = fp.GaussianFilter(mu=1.0), tmp_path / "journal"
    session = filt.open(journal=path)
    assert session.request(fp.Gaussian(0.5))
    session.close()
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(fp.people.JournalError, match="whole file that a session wrote"):
        filt.open(journal=path)


def test_nothing_is_granted_that_cannot_be_recorded(tmp_path: Path) -> None:
    filt, path = fp.GaussianFilter(mu=1.0), tmp_path / "journal"
    session = filt.open("retry", journal=path)
    with pytest.raises(fp.people.JournalError, match="open in one place at a time"):
        filt.open("retry", journal=path)
    path.unlink()
    for _ in range(2):
        with pytest.raises(fp.people.JournalError):
            session.request(fp.Gaussian(0.5))
    assert session.granted == 2  # both count as spent
    with pytest.raises(ValueError, match="pass one of them"):
        filt.open(journal=path, record=print)


def test_a_journal_of_another_filter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    fp.GaussianFilter(mu=1.0).open(journal=path).close()
    with pytest.raises(ValueError, match="mu"):
        fp.GaussianFilter(mu=2.0).open(journal=path)
