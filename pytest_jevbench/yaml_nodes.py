"""YAML as nodes, each with its place, and nothing of it resolved."""

from __future__ import annotations

import yaml
from yaml import YAMLError

__all__ = ["YAMLError", "compose"]


def compose(text: str) -> yaml.Node | None:
    """The root node of a text, None where there is none. Raises :class:`yaml.YAMLError`."""
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


class _Loader(yaml.BaseLoader):
    """Composes nodes only; an alias would make two places of the file one, so it is refused."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(
                problem="an alias (*name) is not read here; write the text out",
                problem_mark=self.peek_event().start_mark,  # type: ignore[no-untyped-call]
            )
        node: yaml.Node | None = super().compose_node(parent, index)
        return node
