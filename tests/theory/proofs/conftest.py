"""What all tests of the second checker start from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.theory.proofs.certificates import Certificate
from tests.theory.proofs.write_table import TABLE
from theory.proofs.proof import Proof
from theory.proofs.recheck import read


@pytest.fixture(scope="session")
def genuine(proofs: dict[str, Proof]) -> dict[str, Certificate]:
    return {name: json.loads(json.dumps(proof.certificate())) for name, proof in proofs.items()}


@pytest.fixture(scope="session")
def table() -> dict[str, Any]:
    found: dict[str, Any] = read(TABLE)
    return found
