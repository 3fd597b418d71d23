"""The action and the hook for other people's continuous integration call the command as a shell reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
ACTION = yaml.safe_load((ROOT / ".ci" / "action" / "action.yml").read_text("utf-8"))
#: A command that writes down its words and ends with the status of a refutation.
COMMAND = "#!{python}\nimport json, sys\njson.dump(sys.argv[1:], open('words.json', 'w'))\nsys.exit(1)\n"


def words_of(folder: Path, **inputs: str) -> list[str]:
    """The words that the action calls the command with."""
    step = ACTION["runs"]["steps"][1]
    given = {name: declared["default"] for name, declared in ACTION["inputs"].items()} | inputs
    env = {
        key: given[text.removeprefix("${{ inputs.").removesuffix(" }}")] for key, text in step["env"].items()
    }
    command = folder / "filterproof"
    command.write_text(COMMAND.format(python=sys.executable))
    command.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    # as a composite step is run: bash that ends at the first error
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=os.environ | env | {"PATH": path},
        check=False,
    )
    assert ended.returncode == 1
    words: list[str] = json.loads((folder / "words.json").read_text())
    return words


PROGRAM = {"exec": "node bridge.mjs", "promise": "approx(1, 1e-5)", "labels": "site=a,b", "over": "site=a"}


@pytest.mark.parametrize(
    ("inputs", "effort", "words"),
    [
        (
            PROGRAM | {"effort": "5"},
            "5",
            [word for name, value in PROGRAM.items() for word in (f"--{name}", value)],
        ),
        *(
            (
                {"target": target, "mechanisms": "rr,laplace"},
                "1",
                ["--mechanisms", "rr,laplace", "--", target],
            )
            for target in ("budget.py::MyFilter", "$(touch there); `touch there`::X", "--help")
        ),
    ],
)
def test_the_action_calls_the_command_and_no_shell_reads_an_input_as_code(
    tmp_path: Path, inputs: dict[str, str], effort: str, words: list[str]
) -> None:
    arguments = ["verify", "--effort", effort, "--out", "filterproof-report", *words]
    assert words_of(tmp_path, **inputs) == arguments
    assert not (tmp_path / "there").exists()


def test_every_input_is_read_the_house_is_installed_from_its_root_and_the_hook_asks_for_no_files() -> None:
    install, examine = ACTION["runs"]["steps"]
    assert set(examine["env"].values()) == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert "${{" not in install["run"] + examine["run"]
    assert install["run"].endswith('"$PLACE/../.."')
    assert (ROOT / ".ci" / "action" / ".." / ".." / "pyproject.toml").is_file()

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["entry"] == "filterproof verify"
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
