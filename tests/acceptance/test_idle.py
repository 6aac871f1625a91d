"""The plugin installed and not used: nothing is imported, printed or changed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

HEAVY = ("httpx", "numpy", "scipy", "jinja2", "tenacity", "yaml", "filelock", "sqlite3", "xdist.dsession")


def test_nothing_heavy_is_imported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass")
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pytest", "-p", "no:xdist", "-p", "no:hypothesispytest", "-q"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_jevbench.plugin"},
    )
    imported = re.findall(r"\|\s+([\w.]+)$", ran.stderr, re.MULTILINE)
    assert "pytest_jevbench.plugin.options" in imported
    assert [name for name in imported if name.partition(".")[0] in HEAVY] == []
    ours = {name for name in imported if name.startswith("pytest_jevbench")}
    assert ours <= {
        "pytest_jevbench",
        "pytest_jevbench.plugin",
        "pytest_jevbench.plugin.fixtures",
        "pytest_jevbench.plugin.hookspecs",
        "pytest_jevbench.plugin.keys",
        "pytest_jevbench.plugin.options",
        "pytest_jevbench.plugin.settings",
    }


def test_the_output_is_the_same_with_and_without(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): assert 1 == 2")

    def output(*options: str) -> str:
        ran = pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:cacheprovider", *options)
        text = re.sub(r"in \d+\.\d+s", "in Xs", ran.stdout.str())
        return re.sub(r"(plugins: .*)", lambda found: re.sub(r"jevbench-[\d.]+(, )?", "", found[1]).rstrip(", "), text)

    assert output() == output("-p", "no:jevbench")


def test_ini_keys_alone_start_no_run(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\njevbench_suite = jevbench-examples\njevbench_reference = uniform\njevbench_store = off\n"
        "jevbench_fail_on = never"
    )
    pytester.makepyfile("def test_a(): pass")
    assert pytester.runpytest_subprocess().parseoutcomes() == {"passed": 1}
    switched = pytester.runpytest_subprocess("--jevbench")
    assert switched.ret == 0
    assert switched.parseoutcomes()["passed"] > 10
