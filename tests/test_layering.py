"""The core does not know the shells: a room imports only rooms that stand above it in the design's list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pytest_jevbench"

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "warning", "json_text", "yaml_nodes", "yaml_text", "files", "slugs", "counting"),
    ("questions", "distributions"),
    ("rewrite_bank", "answers", "gold_answers"),
    ("oracle",),
    ("relations",),
    ("own_laws",),
    ("plans",),
    ("own_cases", "case_settings", "suite_files", "suite_finding", "suite_freezing", "suite_loading"),
    ("relation_testing",),
    ("models",),
    ("chat",),
    ("runs", "metrics", "scoring", "shrinking"),
    ("labelled", "judges"),
    ("datagen", "rewrites"),
    ("reports",),
    ("api",),
    ("plugin",),
    ("mcp_server",),
    ("cli", "__main__"),
)
"""From the top down; rooms of one row may import each other."""

LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module of the package that a file imports, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pytest_jevbench."):
            yield node.module
        elif isinstance(node, ast.ImportFrom) and node.module == "pytest_jevbench":
            yield from (f"pytest_jevbench.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("pytest_jevbench."))


def room_of(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_from_above(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    assert room in LEVEL, f"give {room} its place in the list"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    below = {module for module in imports(tree) if LEVEL.get(room_of(module), -1) > LEVEL[room]}
    assert below == set()


@pytest.mark.parametrize("room", ["questions", "distributions", "answers", "relations", "plans", "runs", "scoring"])
def test_the_core_knows_neither_pytest_nor_a_network(room: str) -> None:
    files = [PACKAGE / f"{room}.py"] if (PACKAGE / f"{room}.py").exists() else list((PACKAGE / room).rglob("*.py"))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"pytest", "_pytest", "httpx", "socket"}, path
