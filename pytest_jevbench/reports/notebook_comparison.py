"""A card beside its baseline, for people who work in Python."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.reports.card_html import html_table, text
from pytest_jevbench.reports.changes import changes_text, comparison_lines
from pytest_jevbench.reports.markdown_changes import change_table
from pytest_jevbench.reports.numbers import p_text, points, points_interval
from pytest_jevbench.reports.tables import title_of
from pytest_jevbench.reports.text import percent, plain
from pytest_jevbench.scoring import compare
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compared_cards import ComparedCards

__all__ = ["Comparison"]


class Comparison:
    """What changed from a baseline to a card, on the tests that both judged.

    In a notebook it shows itself as a table; ``print`` gives what ``pytest-jevbench card compare`` prints.
    """

    def __init__(self, card: Card, compared: ComparedCards) -> None:
        assert compared.comparison is not None
        self._card = card
        self._compared = compared
        self._comparison = compared.comparison

    @property
    def scores(self) -> Mapping[str, compare.Compared]:
        """The change of each score by name (``overall``, dimensions, groups, relations).

        A :class:`~pytest_jevbench.scoring.compare.ScoreChange` with ``before``, ``now``, ``change``, ``interval`` and
        the test of a drop, or an :class:`~pytest_jevbench.scoring.weights.Undefined` with its ``reason``.
        """
        return self._comparison.scores

    @property
    def new(self) -> tuple[TestId, ...]:
        """Tests violated now and not in the baseline."""
        return tuple(self._comparison.changes.new)

    @property
    def known(self) -> tuple[TestId, ...]:
        """Tests violated in both."""
        return tuple(self._comparison.changes.known)

    @property
    def fixed(self) -> tuple[TestId, ...]:
        """Tests violated in the baseline and held now."""
        return tuple(self._comparison.changes.fixed)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What differs apart from the answers, and what of the planned tests is not compared."""
        return self._compared.cautions

    def __str__(self) -> str:
        return "\n".join(plain(row) for row in comparison_lines(self._card, self._compared))

    def __repr__(self) -> str:
        return f"<Comparison of {self._card.name!r} with {self._compared.baseline.name!r}: {self._changes()}>"

    def _repr_markdown_(self) -> str:
        lines = [*change_table(self._card, self._comparison), "", f"{self._changes()}."]
        return "\n".join([*lines, *(f"- {caution}" for caution in self.cautions)])

    def _repr_html_(self) -> str:
        rows = []
        for name in compare.FAMILY:
            found = self.scores.get(name)
            if isinstance(found, compare.ScoreChange):
                change = f"{points(found.change)} {points_interval(found.interval)}".strip()
                figures = [
                    percent(found.before),
                    percent(found.now),
                    change,
                    p_text(found.adjusted_p),
                    f"{found.tests:,}",
                ]
                rows.append([title_of(name), *figures])
            elif found is not None:
                rows.append([f"{title_of(name)}: {found.reason}", *["-"] * 5])
        head = ["score, 100 = every law kept", "before", "now", "change", "p", "tests"]
        cautions = "".join(f"<li>{text(caution)}</li>" for caution in self.cautions)
        title = f"<strong>{text(self._card.name)}</strong> against {text(self._compared.baseline.name)}"
        notes = f"<ul>{cautions}</ul>" if cautions else ""
        return f"<div><p>{title}: {text(self._changes())}</p>{html_table(head, rows)}{notes}</div>"

    def _changes(self) -> str:
        return changes_text(self._comparison.changes)
