"""Every way to install the program finds its own queries and dashboards, and nobody else's.

Nothing here needs a network: the backend is the installed one, and each fresh environment borrows
the dependencies of the present one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from analyzer import assets
from analyzer.errors import UsageError

WAYS = ["wheel", "sdist", "editable"]


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of `command`; the test fails with its standard error."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def built(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist of this checkout and the wheel that is built out of that sdist."""
    made = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation"]
    run(*build, "--outdir", made, repo_root, cwd=made)
    return {"wheel": next(made.glob("*.whl")), "sdist": next(made.glob("*.tar.gz"))}


@pytest.fixture(scope="session")
def borrowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything installed here but this project itself, as one folder of links."""
    links = tmp_path_factory.mktemp("borrowed")
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(folder).iterdir():
            if "citelog" not in entry.name and entry.suffix != ".pth":
                (links / entry.name).symlink_to(entry)
    return links


@pytest.fixture(scope="session", params=WAYS)
def environment(
    request: pytest.FixtureRequest,
    built: dict[str, Path],
    borrowed: Path,
    repo_root: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A fresh environment into which the program was installed in one of three ways."""
    home = tmp_path_factory.mktemp(request.param)
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site_packages = Path(run(python, "-c", PURELIB, cwd=home).strip())
    (site_packages / "borrowed.pth").write_text(f"{borrowed}\n")
    way: list[str | Path] = (
        ["--editable", repo_root] if request.param == "editable" else [built[request.param]]
    )
    pip = ["-m", "pip", "--disable-pip-version-check", "install", "--no-index"]
    run(python, *pip, "--no-deps", "--no-build-isolation", *way, cwd=home)
    return home


PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"
FOLDERS = "from analyzer.assets import folder as f; print(f('queries'), f('dashboards'))"
COMMAND = "import sys; from analyzer.cli.main import main; sys.argv = ['x', 'queries']; main()"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with `queries` and `dashboards` packages of its own, which break when imported."""
    for name in ("queries", "dashboards"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('somebody else')\n")
        (tmp_path / name / "not_ours.sql").write_text("-- Not a question of ours.\nSELECT 1\n")
    return tmp_path


def questions(repo_root: Path) -> list[str]:
    return sorted(file.stem for file in (repo_root / "queries").glob("*.sql"))


def listed(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_command_lists_its_own_queries_from_anywhere(
    environment: Path, elsewhere: Path, repo_root: Path
) -> None:
    output = run(environment / "bin" / "citelog", "queries", cwd=elsewhere)
    assert listed(output) == questions(repo_root)


def test_a_current_folder_on_the_import_path_changes_nothing(
    environment: Path, elsewhere: Path, repo_root: Path
) -> None:
    output = run(environment / "bin" / "python", "-c", COMMAND, cwd=elsewhere)
    assert listed(output) == questions(repo_root)


def test_folders_are_the_checkouts_own_or_lie_in_the_package(
    environment: Path, elsewhere: Path, repo_root: Path
) -> None:
    found = run(environment / "bin" / "python", "-c", FOLDERS, cwd=elsewhere).split()
    inside = Path(run(environment / "bin" / "python", "-c", PURELIB, cwd=elsewhere).strip())
    home = repo_root if "editable" in environment.name else inside / "analyzer"
    assert found == [str(home / "queries"), str(home / "dashboards")]


def test_the_wheel_puts_only_analyzer_on_the_import_path(built: dict[str, Path]) -> None:
    tops = {name.split("/")[0] for name in names_in(built["wheel"])}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"analyzer"}


def test_the_wheel_carries_every_query_dashboard_and_the_type_marker(
    built: dict[str, Path], repo_root: Path
) -> None:
    data = [
        file.relative_to(repo_root).as_posix()
        for name in ("queries", "dashboards")
        for file in (repo_root / name).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    ]
    mappings = {
        file.relative_to(repo_root).as_posix()
        for file in (repo_root / "analyzer" / "sources" / "mappings").glob("*.toml")
    }
    carried = names_in(built["wheel"])
    assert {f"analyzer/{name}" for name in data} | {"analyzer/py.typed"} | mappings <= carried


def test_the_sdist_carries_no_sample_logs_and_no_tests(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"analyzer", "queries", "dashboards", "LICENSE", "pyproject.toml"} <= tops
    assert not {"sample_logs", "tests"} & tops


def test_a_bare_checkout_finds_its_folders(repo_root: Path) -> None:
    assert assets.shipped("queries") == repo_root / "queries"
    assert assets.shipped("dashboards") == repo_root / "dashboards"


def test_a_folder_of_the_users_own_is_looked_in_first(
    tmp_path: Path, repo_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "_own", {})
    assets.use("queries", tmp_path)
    assert assets.places("queries") == [tmp_path, repo_root / "queries"]
    assert assets.folder("queries") == tmp_path
    assert assets.shipped("queries") == repo_root / "queries"


def test_a_folder_of_the_users_own_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder; --queries takes a folder of your own"):
        assets.use("queries", tmp_path / "gone")


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-dev.lock", "requirements-bench.lock"]
)
def test_locks_pin_by_hash_and_name_no_index(repo_root: Path, lock: str) -> None:
    text = (repo_root / lock).read_text()
    pins = [line for line in text.splitlines() if line and line[0] not in " #"]
    assert pins
    assert all("==" in pin and pin.endswith("\\") for pin in pins)
    assert "://" not in text
    assert "index-url" not in text


def test_the_lock_holds_every_dependency(repo_root: Path) -> None:
    project = tomllib.loads((repo_root / "pyproject.toml").read_text())["project"]
    pinned = {
        line.split("==")[0] for line in (repo_root / "requirements.lock").read_text().splitlines()
    }
    wanted = {need.split(">")[0].split("=")[0] for need in project["dependencies"]}
    assert wanted <= pinned
