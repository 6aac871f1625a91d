"""An estimate of a run, for people who work in Python."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pytest_jevbench.reports.card_html import text
from pytest_jevbench.reports.estimate_text import estimate_rows
from pytest_jevbench.runs.run_estimate import RunFigures

__all__ = ["RunEstimate"]


@dataclass(frozen=True)
class RunEstimate(RunFigures):
    """What a run takes: its figures by name, and ``print`` to read them.

    ``requests`` are distinct, ``stored`` of them have an answer (of ``stored_model``), ``to_ask`` would be sent.
    ``input_tokens`` and ``output_tokens`` are by the rule ``tokens_by`` says. ``usd`` is about what it costs,
    ``usd_at_most`` what a budget charges where the server tells no tokens; None without prices. ``seconds`` is the
    least time; None where no time a request is known.
    """

    @classmethod
    def of(cls, figures: RunFigures) -> RunEstimate:
        """The figures, to be read."""
        return cls(**{field.name: getattr(figures, field.name) for field in fields(RunFigures)})

    def __str__(self) -> str:
        return "\n".join(f"{label:<9} {words}" for label, words in self._rows())

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{label}</th><td>{text(words)}</td></tr>" for label, words in self._rows())
        return f'<table style="text-align:left">{rows}</table>'

    def _rows(self) -> list[tuple[str, str]]:
        return estimate_rows(
            self,
            without_prices="not known without price_in and price_out",
            without_time="not known without seconds, or a model to be timed",
        )
