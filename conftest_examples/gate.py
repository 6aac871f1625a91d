"""A gate of your own beside the built-in one: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-suite=jevbench-mini --jevbench-url=... --jevbench-require=min.overall=0.6``. The
built-in gate decides on scores, with error control against a baseline; what it does not know is decided here.
"""

import pytest

MOST_FLIPS = 0.25
"""The largest share of decisions that may change where nothing was asked otherwise."""

FLIPS = pytest.StashKey[str]()


def pytest_jevbench_card(config, card):
    """Called once with the finished card; its fields are those of docs/card.md."""
    decisions = sum(row["decisions"] for row in card["relations"])
    flips = sum(row["flips"] for row in card["relations"])
    if decisions and flips / decisions > MOST_FLIPS:
        config.stash[FLIPS] = f"{flips} of {decisions} decisions flipped, more than {MOST_FLIPS:.0%}"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """After the plugin has set the exit status: a run that would pass fails."""
    if FLIPS in session.config.stash and session.exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter, config):
    if FLIPS in config.stash:
        terminalreporter.write_line(f"own gate failed: {config.stash[FLIPS]}", red=True)
