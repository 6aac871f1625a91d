"""The Python API: runs, checks, estimates and comparisons without pytest, for scripts and notebooks.

Everything here drives the machinery that the plugin drives, and gives the same card. What is wrong with arguments is an
:class:`~pytest_jevbench.errors.InputError` before anything is asked; what a model does wrong is a
:class:`~pytest_jevbench.errors.ModelError`. Both are a :class:`~pytest_jevbench.errors.JevbenchError`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.checking import ModelCheck, check_model
from pytest_jevbench.models.making import from_callable, reference, systemone
from pytest_jevbench.models.money import Prices
from pytest_jevbench.models.opening import ModelSpec
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.reports.notebook_card import Card, Violation
from pytest_jevbench.reports.notebook_comparison import Comparison
from pytest_jevbench.reports.notebook_estimate import RunEstimate
from pytest_jevbench.reports.progress_display import Progress, drawing_here
from pytest_jevbench.reports.radar_cards import RadarLevel, radar_of_cards
from pytest_jevbench.reports.relation_info import RelationInfo, relation_info, relation_infos
from pytest_jevbench.reports.svg import Svg
from pytest_jevbench.reports.tables import Metric
from pytest_jevbench.runs.ask_ahead import Stop
from pytest_jevbench.runs.evaluating import evaluate_run
from pytest_jevbench.runs.given_model import GivenModel, ModelLike, named_model
from pytest_jevbench.runs.given_numbers import check_numbers, check_switches
from pytest_jevbench.runs.given_store import store_file, store_opener, stored_in
from pytest_jevbench.runs.given_suite import CasesLike, Names, SuiteLike, named_filters, plan_named
from pytest_jevbench.runs.measuring import measure_replicas
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.runs.run_estimate import estimate_run
from pytest_jevbench.scoring.card_reading import read_card
from pytest_jevbench.scoring.compared_cards import compare_with
from pytest_jevbench.scoring.relation_scores import ScoreSettings

__all__ = [
    "Card",
    "Comparison",
    "EvaluationInterrupted",
    "ModelCheck",
    "ModelSpec",
    "RelationInfo",
    "RunEstimate",
    "Violation",
    "check",
    "compare",
    "describe",
    "estimate",
    "evaluate",
    "from_callable",
    "list_relations",
    "radar",
    "reference",
    "systemone",
]

DEFAULT_TOLERANCE = 0.05
_T = TypeVar("_T")


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C ended an evaluation. ``card`` is what there was: tests not judged are in it as lost.

    It is a ``KeyboardInterrupt``, so that a loop over models and the rest of a notebook stop as well.
    """

    def __init__(self, card: Card) -> None:
        counts = card.data["counts"]
        super().__init__(f"{counts['judged']} of {counts['planned']} tests were judged; .card has them")
        self.card = card


def evaluate(
    model: ModelLike,
    suite: SuiteLike | None = None,
    *,
    cases: CasesLike | None = None,
    relations: Names | None = None,
    dimensions: Names | None = None,
    groups: Names | None = None,
    domains: Names | None = None,
    case_ids: Names | None = None,
    tolerance: float | None = None,
    min_n: int | None = None,
    bootstrap: int = 1000,
    seed: int | None = None,
    draws: int | None = None,
    repeats: int | None = None,
    rewrites: str | os.PathLike[str] | None = None,
    audited_only: bool | None = None,
    laws: Sequence[type[OwnLaw]] = (),
    count_laws: bool = False,
    store: str | os.PathLike[str] | None = None,
    offline: bool = False,
    refresh: bool = False,
    replicas: int | None = None,
    per_replica: int = 1,
    name: str | None = None,
    progress: bool | Callable[[TestResult], object] = True,
) -> Card:
    """Run every test of a suite, or of cases of your own, and give the coherence card.

    Parameters
    ----------
    model
        A URL, what :func:`systemone`, :func:`reference` or :func:`from_callable` give, a :class:`ModelSpec`, a function
        ``(state, questions) -> answers``, or a list of functions. A single function is called in this thread alone; of
        a list each is called by one thread at a time.
    suite
        A bundled name, a directory, or ``distribution:name``.
    cases
        In the place of a suite: a file or folder of cases, or cases as dictionaries with ``state`` and ``questions``.
    relations, dimensions, groups
        One name or several each; together they are one union. Default: all that are scored.
    domains, case_ids
        Only cases of these domains and ids.
    tolerance
        The deviation allowed, from 0 to below 1 (0.05).
    min_n
        Tests from which on a relation is scored. Default: the suite's, else 5.
    bootstrap
        Draws for intervals; 0 for none.
    seed, draws, rewrites, audited_only
        How the tests of ``cases`` are made: what draws start from (0), draws of each variant (1), a rewrite bank, and
        whether only rewrites that an audit confirmed are used.
    repeats
        Times that each base request is asked: the mean is judged, and ``card.to_dict()["repeat_noise"]`` tells how far
        single repeats are from it.
        What a ``jevbench.yaml`` beside ``cases`` says, holds where an argument is left out.
    laws, count_laws
        Laws of your own (classes derived from :class:`pytest_jevbench.own_laws.OwnLaw`), and whether those that name a
        dimension count in it.
    store, offline, refresh
        A file that keeps answers from one run to the next; answer from it alone; ask again what it has. Without a file
        answers are kept for this run.
    replicas, per_replica
        How many copies of a launched model to start, and how many requests to have in flight at each server.
    name
        The model's name in the card, where its own does not do.
    progress
        Whether to show a bar while it lasts (on a terminal or in a notebook, nowhere else), or a function that gets
        each :class:`~pytest_jevbench.runs.results.TestResult`.

    Raises
    ------
    InputError
        For arguments, suites or cases that cannot be used.
    Unreachable, Refused, AnswerFormatError
        Where the model does not answer the first request, or so that it cannot be read. What goes wrong later is in the
        card: such tests are not judged, and ``card.complete`` is False.
    EvaluationInterrupted
        On Ctrl-C, with the card so far.
    """
    numbers = check_numbers(tolerance=tolerance, min_n=min_n, bootstrap=bootstrap, seed=seed, draws=draws)
    check_numbers(replicas=replicas, per_replica=per_replica, repeats=repeats)
    check_switches(audited_only=audited_only, count_laws=count_laws, offline=offline, refresh=refresh)
    asked = named_model(model)
    filters = named_filters(
        dimensions=dimensions, groups=groups, relations=relations, domains=domains, case_ids=case_ids
    )
    stop = Stop()
    opener = GivenModel(asked, replicas=replicas, per_replica=per_replica, stop=stop, tell=_warn)
    open_store = store_opener(store, offline=offline, refresh=refresh, stop=stop, warn=_warn)
    planned = plan_named(
        suite,
        cases,
        filters,
        seed=numbers["seed"],
        draws=numbers["draws"],
        repeats=repeats,
        rewrites=rewrites,
        audited_only=audited_only,
        laws=laws,
        count_laws=count_laws,
    )
    run = planned.run
    tolerance = _first(tolerance, planned.tolerance, DEFAULT_TOLERANCE)
    how = ScoreSettings(tolerance=tolerance, min_n=_first(min_n, planned.min_n, run.suite.min_n), bootstrap=bootstrap)
    shown = Progress(len(run.tests), drawing_here() if progress is True else None)
    watch = progress if callable(progress) else shown
    try:
        done = evaluate_run(
            run,
            opener,
            open_store,
            how,
            tolerance=tolerance,
            stop=stop,
            name=name or "",
            watch=watch,
            tell=_warn,
        )
    finally:
        shown.end()
    card = Card(done.card)
    if done.interrupt is not None:
        raise EvaluationInterrupted(card) from done.interrupt
    return card


def estimate(
    suite: SuiteLike | None = None,
    *,
    model: ModelLike | None = None,
    cases: CasesLike | None = None,
    relations: Names | None = None,
    dimensions: Names | None = None,
    groups: Names | None = None,
    domains: Names | None = None,
    case_ids: Names | None = None,
    seed: int | None = None,
    draws: int | None = None,
    repeats: int | None = None,
    rewrites: str | os.PathLike[str] | None = None,
    audited_only: bool | None = None,
    laws: Sequence[type[OwnLaw]] = (),
    store: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    min_interval: float = 0.0,
    price_in: float | Decimal | None = None,
    price_out: float | Decimal | None = None,
    replicas: int | None = None,
    per_replica: int = 1,
) -> RunEstimate:
    """What :func:`evaluate` with the same arguments would take: requests, tokens, dollars, time.

    Nothing is asked, unless a ``model`` is given: that is sent a few requests, to measure time and tokens. Without one,
    ``store`` stands for the model whose answers were used last in it. ``seconds`` is how long one request takes where
    you know it, ``min_interval`` the time between the starts of two, ``price_in`` and ``price_out`` are dollars for a
    million tokens. ``print`` the result to read it.

    Raises :class:`InputError` for arguments that cannot be used, and :class:`~pytest_jevbench.errors.ModelError` where
    the model does not answer.
    """
    check_numbers(seed=seed, draws=draws, seconds=seconds, min_interval=min_interval, replicas=replicas)
    check_numbers(per_replica=per_replica, repeats=repeats, price_in=price_in, price_out=price_out)
    check_switches(audited_only=audited_only)
    if (price_in is None) != (price_out is None):
        raise InputError("one price alone says nothing of the cost", advice="Give price_in and price_out")
    prices = None if price_in is None or price_out is None else Prices(Decimal(str(price_in)), Decimal(str(price_out)))
    asked = None if model is None else named_model(model)
    path = None if store is None else store_file(store)
    planned = plan_named(
        suite,
        cases,
        named_filters(dimensions=dimensions, groups=groups, relations=relations, domains=domains, case_ids=case_ids),
        seed=seed,
        draws=draws,
        repeats=repeats,
        rewrites=rewrites,
        audited_only=audited_only,
        laws=laws,
        checked=True,
    ).run
    measured = None
    if asked is not None:
        opened = GivenModel(asked, replicas=replicas, stop=Stop(), tell=_warn)(None)
        with opened.models:
            measured = measure_replicas(opened.models, planned)
    figures = estimate_run(
        planned,
        stored_in(path, planned, None if measured is None else measured.key, warn=_warn),
        measured,
        prices=prices,
        seconds=seconds,
        replicas=replicas,
        per_replica=per_replica,
        min_interval=min_interval,
    )
    return RunEstimate.of(figures)


def check(model: ModelLike) -> ModelCheck:
    """Send a model one small request and read every answer to it: what works, or what to change.

    ``print`` the result to read it; ``result.ok`` says whether the model can be tested. Each replica is asked, and the
    first one that cannot be tested is told of. Raises :class:`InputError` for what is no model, and
    :class:`~pytest_jevbench.errors.Unreachable` where a launched one does not start; any other trouble is in the
    result.
    """
    asked, stop = named_model(model), Stop()
    opened = GivenModel(asked, stop=stop, tell=_warn)(None)
    try:
        checks = [check_model(one) for one in opened.models]
    finally:
        opened.models.close()
    return next((one for one in checks if not one.ok), checks[0])


def compare(card: Card | str | Path, baseline: Card | str | Path, *, graded: bool = False) -> Comparison:
    """What changed from a baseline to a card: each score with interval and p-value, new and fixed violations.

    Cards may be given as files. ``graded`` compares graded scores, whose p-values are sampled. Raises
    :class:`InputError` where the two are of different suites.
    """
    for name, one in (("card", card), ("baseline", baseline)):
        if not isinstance(one, (Card, str, os.PathLike)):
            raise InputError.unexpected(one, "a card or the path of one", Place(field=name))
    now, before = (one.computed if isinstance(one, Card) else read_card(one) for one in (card, baseline))
    compared = compare_with(now, before, graded=graded)
    if compared.comparison is None:
        raise InputError(compared.cautions[0], advice="Two cards compare where they are of one suite")
    return Comparison(now, compared)


def radar(
    cards: Card | Sequence[Card],
    *,
    level: RadarLevel = "dimension",
    metric: Metric = "binary",
    reference: bool = True,
    title: str | None = None,
) -> Svg:
    """The scores of one or several cards as a radar chart: SVG text, which a notebook shows as a picture.

    ``level`` is ``"dimension"`` or ``"group"``, ``metric`` ``"binary"`` (tests held) or ``"graded"``. ``reference``
    draws the uniform model behind them. A score that is not reported is a gap, never 0. Raises :class:`InputError` for
    no card.
    """
    given = [cards] if isinstance(cards, Card) else list(cards) if isinstance(cards, Sequence) else [cards]
    for one in given:
        if not isinstance(one, Card):
            raise InputError.unexpected(
                one, "a card, or a list of cards; Card.load(path) reads one", Place(field="cards")
            )
    made = radar_of_cards([one.computed for one in given], level=level, metric=metric, reference=reference, title=title)
    return Svg(made)


def list_relations() -> list[RelationInfo]:
    """All relations in the order of the taxonomy, the diagnostics last."""
    return relation_infos()


def describe(relation: str) -> RelationInfo:
    """What a relation states and how it is measured; ``print`` it to read it.

    Raises :class:`InputError` with the near names where there is none of this name.
    """
    if not isinstance(relation, str):
        raise InputError.unexpected(relation, "the name of a relation, such as 'option_clone'", Place(field="relation"))
    return relation_info(relation)


def _first(*values: _T | None) -> _T:
    """The first that is given."""
    return next(value for value in values if value is not None)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
