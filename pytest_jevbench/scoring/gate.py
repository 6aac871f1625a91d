"""The gate: do all conditions hold? And is the run one that can be asked?

The decision is ``passed`` only where every condition passed on a whole run of one model against a baseline of the
same tests. It is ``incomplete`` where something is missing that another run could bring, ``failed`` where every
answer is there and a condition does not hold (a suite too small for what is asked of it included). A run that the
sequential rule stopped has failed: that is what the rule decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from pytest_jevbench.json_text import JSON
from pytest_jevbench.relations import registry
from pytest_jevbench.scoring.bootstrap import DRAWS
from pytest_jevbench.scoring.gate_comparisons import ComparedRuns, check_against, family_of
from pytest_jevbench.scoring.gate_conditions import check_run
from pytest_jevbench.scoring.gate_config import GateConfig
from pytest_jevbench.scoring.gate_results import ConditionResult, unevaluated
from pytest_jevbench.scoring.gate_run import GatedRun, baseline_gaps, baseline_obstacles, run_obstacles
from pytest_jevbench.scoring.pairs import Layout
from pytest_jevbench.scoring.sequential import Decided, EarlyRule, early_rule, watch_all
from pytest_jevbench.scoring.weights import ScoredFrom

__all__ = ["EXIT_STATUS", "Decision", "GateResult", "early_rule_of", "evaluate_gate", "taxonomy_groups"]

Decision: TypeAlias = Literal["passed", "failed", "incomplete"]

EXIT_STATUS: Mapping[Decision, int] = {"passed": 0, "failed": 1, "incomplete": 16}


@dataclass(frozen=True, slots=True)
class GateResult:
    """The decision, every condition's result, and the reasons in words (empty where it passed)."""

    decision: Decision
    conditions: tuple[ConditionResult, ...]
    reasons: tuple[str, ...]
    decided_early: Decided | None = None

    @property
    def exit_status(self) -> int:
        return EXIT_STATUS[self.decision]

    def to_json(self) -> dict[str, JSON]:
        """The gate as a card or another program takes it."""
        return {
            "decision": self.decision,
            "reasons": list(self.reasons),
            "decided_early": None if self.decided_early is None else asdict(self.decided_early),
            "conditions": [condition.to_json() for condition in self.conditions],
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The gate in words: the decision and why, then one line a condition."""
        why = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return (f"gate {self.decision}{why}", *(condition.text for condition in self.conditions))


def taxonomy_groups() -> dict[str, str]:
    """The group of every registered relation, in taxonomy order."""
    return {name: relation.group for name, relation in registry.RELATIONS.items()}


def evaluate_gate(
    config: GateConfig,
    run: GatedRun,
    baseline: GatedRun | None = None,
    *,
    groups: Mapping[str, str] | None = None,
    draws: int = DRAWS,
) -> GateResult:
    """Decide a gate.

    ``groups`` gives each relation's group in taxonomy order (default: the registered relations), ``draws`` the number
    of bootstrap draws. Equal runs give equal results: every random draw has a fixed seed.
    """
    groups = taxonomy_groups() if groups is None else groups
    obstacles = list(run_obstacles(run))
    comparable = baseline is not None and not baseline_obstacles(run, baseline)
    early = _decided(config, run, baseline, groups) if baseline is not None and comparable else None
    if early is None and run.decided_early:
        obstacles.append("the run says that it was decided early, and its outcomes do not show it")
    if config.needs_baseline:
        obstacles += _about_baseline(run, baseline)
    whole = not obstacles
    conditions = list(check_run(config, run, groups, whole=whole))
    if comparable and baseline is not None:
        compared = ComparedRuns.of(run, baseline, groups, draws=draws)
        conditions += check_against(config, compared, whole=whole)
    else:
        reason = "there is no baseline" if baseline is None else "the baseline does not compare"
        conditions += _without_baseline(config, reason)
    if early is not None:
        return _failed_early(early, conditions)
    return _decide(tuple(conditions), obstacles)


def _about_baseline(run: GatedRun, baseline: GatedRun | None) -> tuple[str, ...]:
    if baseline is None:
        return ("there is no baseline to compare with",)
    return baseline_obstacles(run, baseline) or baseline_gaps(run, baseline)


def _decide(conditions: tuple[ConditionResult, ...], obstacles: list[str]) -> GateResult:
    by_verdict: dict[str, list[str]] = {}
    for condition in conditions:
        by_verdict.setdefault(condition.verdict, []).append(condition.name)
    failed = [*by_verdict.get("failed", ()), *by_verdict.get("too_few", ())]
    open_ones = [*by_verdict.get("incomplete", ()), *by_verdict.get("not_evaluated", ())]
    reasons = [*obstacles]
    if not conditions:
        reasons.append("no condition was given")
    if failed:
        reasons.append(f"not met: {', '.join(failed)}")
    if open_ones and not obstacles:
        reasons.append(f"not evaluated: {', '.join(open_ones)}")
    incomplete = bool(obstacles or open_ones or not conditions)
    return GateResult("incomplete" if incomplete else "failed" if failed else "passed", conditions, tuple(reasons))


def _without_baseline(config: GateConfig, reason: str) -> Iterator[ConditionResult]:
    for limit in config.largest_drop:
        yield unevaluated(f"max_drop {limit.score}", reason, limit.value)
    if config.no_significant_drop is not None:
        yield unevaluated("no_significant_drop", reason, config.no_significant_drop.level)
    if config.non_inferiority is not None:
        for limit in config.non_inferiority.margins:
            yield unevaluated(f"non_inferiority {limit.score}", reason, -limit.value)
    if config.most_new_violations is not None:
        yield unevaluated("max_new_violations", reason, config.most_new_violations)


def early_rule_of(
    config: GateConfig, planned: Layout, domains: Mapping[str, str], scored_from: ScoredFrom | None = None
) -> EarlyRule:
    """The sequential rule of a gate's conditions on a plan: what a run that may stop early watches.

    Graded regression conditions are not watched; they keep their whole level.
    """
    scored = scored_from or ScoredFrom()
    drop, within = config.no_significant_drop, config.non_inferiority
    if drop is not None and drop.graded:
        drop = None
    return early_rule(
        planned,
        domains,
        level=drop.level if drop else None,
        scores=family_of(drop.scores, planned, scored) if drop else (),
        margins={limit.score: limit.value for limit in within.margins} if within else {},
        margin_level=within.level if within else 0.05,
        scored_from=scored,
    )


def _decided(config: GateConfig, run: GatedRun, baseline: GatedRun, groups: Mapping[str, str]) -> Decided | None:
    """What the sequential rule says of the outcomes, looked at anew: the same whatever the run was stopped by."""
    if not run.stop_when_decided:
        return None
    compared = ComparedRuns.of(run, baseline, groups, draws=0)
    rule = early_rule_of(config, compared.planned, run.domains, compared.scored_from)
    return watch_all(rule, compared.pairs).decided


def _failed_early(early: Decided, conditions: list[ConditionResult]) -> GateResult:
    name = f"{'no_significant_drop' if early.margin is None else 'non_inferiority'} {early.score}"
    decided = ConditionResult(name, early.wealth, early.needed, None, early.tests, "failed", early.text)
    others = (unevaluated(c.name, "the run was decided early", c.limit) for c in conditions if c.name != name)
    return GateResult("failed", (decided, *others), (early.text,), early)
