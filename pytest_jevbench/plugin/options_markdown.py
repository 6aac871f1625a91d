"""The options of the plugin as a Markdown table, for docs/plugin.md."""

from __future__ import annotations

from pytest_jevbench.plugin.options import OPTIONS

__all__ = ["options_table"]


def options_table() -> str:
    """One row an option, the basic ones first."""
    rows = ["| option | what it does |", "|---|---|", "| `--jevbench` | run what the ini keys name |"]
    for option in sorted(OPTIONS, key=lambda one: one.advanced):
        value = "" if option.switch else f"={option.metavar}"
        rows.append(f"| `{option.flag}{value}` | {option.help.replace('|', '/')} |")
    return "\n".join(rows)
