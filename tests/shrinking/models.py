"""Models whose smallest counterexample is known by hand, and a case large enough to hide it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.plans.build import build_trials, grouped
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Choice, Noul, Question, Request, Score, answer_ids
from pytest_jevbench.relations.registry import get
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.runs.answered import Answered, Answers
from pytest_jevbench.runs.judge import judge
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.shrinking.shrink import Shrunk, shrink

STATE = (
    "It came on Monday. The box was wet.\nNobody was at home. The cup has a crack!\n\n"
    "Please answer soon. I am in no hurry. Kind regards."
)

PARCEL = Case(
    "parcel",
    STATE,
    {
        "late": Noul("Did it come late?"),
        "mood": Score("How angry is the writer?", ("calm", "cross", "angry", "furious")),
        "broken": Noul("Is something broken?"),
        "wish": Choice("What is wanted?", {o: f"The writer wants {o}" for o in ("money", "cup", "word", "box", "no")}),
        "wet": Noul("Was it wet?"),
    },
)

Rule = Callable[[Request, str], float]
"""How much of the probability of a question's first answer is moved to its last, given the whole request."""


def model(rule: Rule) -> Callable[[Request], Answered]:
    """Gives all answers of different texts equal probability, but moves what ``rule`` says from the first to the last.

    Without a rule that is Luce's model with equal weights: it keeps every law about clones and shorter menus.
    """

    def ask(request: Request) -> Answered:
        found: dict[str, Distribution] = {}
        for key, question in request.questions.items():
            ids = answer_ids(question)
            said = list(question.options.values()) if isinstance(question, Choice) else list(ids)
            share = {ids[i]: 1 / len(set(said)) / said.count(text) for i, text in enumerate(said)}
            moved = rule(request, key) * share[ids[0]]
            share[ids[0]] -= moved
            share[ids[-1]] += moved
            found[key] = share
        return Answers(found, {}, {})

    return ask


def planned(relation: str, key: str, case: Case = PARCEL, bank: RewriteBank | None = None) -> PlannedTest:
    trials = build_trials(case, bank or RewriteBank(), [get(relation)], seed=5, draws=1)
    return next(test for test in grouped(trials) if test.id.key == key)


def verdict(test: PlannedTest, case: Case, ask: Callable[[Request], Answered]) -> TestResult:
    return judge(test, case, ask(case.request()), ask)


def shrunk(
    relation: str,
    key: str,
    rule: Rule,
    case: Case = PARCEL,
    *,
    requests: int = 1000,
    bank: RewriteBank | None = None,
    ask: Callable[[Request], Answered] | None = None,
) -> Shrunk:
    asking = model(rule)
    test = planned(relation, key, case, bank)
    return shrink(test, case, verdict(test, case, asking), ask or asking, bank=bank, requests=requests)


def texts(questions: Mapping[str, Question]) -> set[str]:
    return {question.instructions for question in questions.values()}
