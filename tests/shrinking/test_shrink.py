"""Violated tests made small, on models whose smallest counterexample is known by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Choice, Noul, Request, Score, Threshold
from pytest_jevbench.relations.base import SourceCase
from pytest_jevbench.relations.registry import get
from pytest_jevbench.rewrite_bank import RewriteBank, translation_source
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.judge import judge
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.shrinking.shrink import Shrunk, shrink
from tests.shrinking.models import PARCEL, model, planned, shrunk, texts, verdict


def violated_again(small: Shrunk, ask: Callable[[Request], Answered]) -> bool:
    """Whether the relation, built on the smaller case alone, is violated."""
    assert small.seed is not None
    key, trial = small.trial.key, small.trial
    built = get(small.test.relation).build(
        SourceCase(small.case, small.bank), key, trial.variant, trial.draw, small.seed
    )
    assert built == trial
    return verdict(PlannedTest(TestId(small.test.relation, small.case.id, key), (built,)), small.case, ask).verdict == (
        "violated"
    )


def test_a_companion_and_a_sentence_to_blame_are_all_that_stays() -> None:
    """Negation breaks only beside ``wet`` and only where the cup has a crack."""

    def rule(request: Request, key: str) -> float:
        beside = "wet" in request.questions and "The cup has a crack!" in str(request.state)
        return 1.0 if beside and key.startswith("broken__negated") else 0.0

    small = shrunk("negation_wrapper", "broken", rule)
    assert list(small.case.questions) == ["broken", "wet"]
    assert small.case.state == "The cup has a crack!"
    assert small.ended == "minimal"
    assert small.alone == "gone"
    assert (small.before.questions, small.before.options) == (5, 9)
    assert (small.after.questions, small.after.options) == (2, 0)
    assert small.outcome.deviation == pytest.approx(0.5)
    assert violated_again(small, model(rule))


def test_a_violation_that_needs_nothing_keeps_one_question_and_one_sentence() -> None:
    def rule(request: Request, key: str) -> float:
        return 1.0 if "__negated" in key else 0.0

    small = shrunk("negation_wrapper", "late", rule)
    assert list(small.case.questions) == ["late"]
    assert isinstance(small.case.state, str)
    assert small.case.state in ("It came on Monday.", "Kind regards.")
    assert small.alone == "persists"
    assert small.requests <= 12


@pytest.mark.parametrize("needed", [("cup", "no"), ("money", "cup", "box")])
def test_options_that_are_to_blame_stay(needed: tuple[str, ...]) -> None:
    """A clone draws probability only where these options are on the menu."""

    def rule(request: Request, key: str) -> float:
        question = request.questions[key]
        menu = set(question.options) if isinstance(question, Choice) else set()
        return 1.0 if set(needed) <= menu and any(option.endswith("_b") for option in menu) else 0.0

    small = shrunk("option_clone", "wish", rule)
    question = small.case.questions["wish"]
    assert isinstance(question, Choice)
    assert tuple(question.options) == needed
    assert violated_again(small, model(rule))


def test_levels_go_and_keep_their_order() -> None:
    def rule(request: Request, key: str) -> float:
        question = request.questions[key]
        levels = question.levels if isinstance(question, Score) else ()
        return 1.0 if "angry" in levels and levels[:1] != ("calm",) else 0.0

    small = shrunk("option_permutation", "mood", rule)
    question = small.case.questions["mood"]
    assert isinstance(question, Score)
    assert question.levels in (("calm", "angry"), ("cross", "angry"), ("angry", "furious"))


def test_a_removed_option_is_the_same_option_when_the_menu_is_shorter() -> None:
    """Variants are numbered by position; the violation hangs on the option that is taken off."""

    def rule(request: Request, key: str) -> float:
        question = request.questions[key]
        return 1.0 if isinstance(question, Choice) and "box" not in question.options else 0.0

    small = shrunk("remove_option_iia", "wish", rule)
    question = small.case.questions["wish"]
    assert isinstance(question, Choice)
    assert len(question.options) == 3  # with fewer the relation does not apply
    assert small.trial.params["removed"] == "box"


def test_partners_of_a_compound_stay() -> None:
    def rule(request: Request, key: str) -> float:
        return 1.0 if "__and__" in key else 0.0

    small = shrunk("frechet_and_upper", "late", rule)
    assert set(small.case.questions) == set(small.trial.targets)
    assert len(small.trial.targets) == 2


def test_a_law_about_the_batch_keeps_the_two_questions_whose_order_matters() -> None:
    """``wet`` before ``mood``, and whatever question stands first in what is left."""

    def rule(request: Request, key: str) -> float:
        keys = list(request.questions)
        both = "wet" in keys and "mood" in keys
        return 0.8 if key == "wet" and both and keys.index("wet") < keys.index("mood") else 0.0

    small = shrunk("batch_order", "late", rule)
    assert list(small.case.questions) == ["mood", "wet"]
    assert (small.trial.key, small.alone) == ("mood", "no_such_form")
    assert violated_again(small, model(rule))


def test_declared_facts_stay_where_the_relation_uses_them_and_go_elsewhere() -> None:
    groupings = {"wish": ({"things": ("cup", "box"), "rest": ("money", "word", "no")},)}
    case = replace(PARCEL, thresholds=(Threshold("boxes", 4),), hierarchies=groupings)

    def all_of_it(request: Request, key: str) -> float:
        question = request.questions[key]
        return 1.0 if isinstance(question, Choice) and "things" in question.options else 0.0

    grouped = shrunk("partition_hierarchy", "wish", all_of_it, case)
    assert grouped.case.hierarchies == groupings
    assert grouped.case.thresholds == ()
    assert grouped.case.questions == {"wish": PARCEL.questions["wish"]}

    swept = shrunk("threshold_sweep", "late", lambda _, key: float(key == "more_than_8"), case)
    assert swept.case.thresholds == case.thresholds
    assert swept.case.hierarchies == {}
    assert len(swept.case.questions) == 1
    cloned = shrunk("option_clone", "wish", lambda _, key: 0.0 if _.questions == case.questions else 1.0, case)
    assert (cloned.case.thresholds, cloned.case.hierarchies) == ((), {})


def test_a_rewrite_that_the_trial_used_comes_along_and_no_other() -> None:
    bank = RewriteBank(
        {
            ("paraphrase", "Is something broken?"): ("Has anything been damaged?", "Is a thing in pieces?"),
            ("paraphrase", "Was it wet?"): ("Was there water on it?",),
        }
    )

    def rule(request: Request, key: str) -> float:
        return 1.0 if "Is something broken?" not in texts(request.questions) else 0.0

    small = shrunk("instruction_paraphrase", "broken", rule, bank=bank)
    [((kind, source), rewrites)] = small.bank.texts.items()
    assert (kind, source) == ("paraphrase", "Is something broken?")
    assert rewrites == (small.trial.params["rewrite"],)
    assert violated_again(small, model(rule))


def test_a_translation_loses_the_options_that_the_question_loses() -> None:
    wish = PARCEL.questions["wish"]
    german = '{"instructions": "Was?", "criteria": {"money": "G", "cup": "T", "word": "W", "box": "S", "no": "N"}}'
    bank = RewriteBank({("translate:de", translation_source(wish)): (german,)})

    def rule(request: Request, key: str) -> float:
        return float(request.questions[key].instructions == "Was?")

    small = shrunk("cross_lingual", "wish", rule, bank=bank)
    question = small.case.questions["wish"]
    assert isinstance(question, Choice)
    assert len(question.options) == 2
    [translated] = [q for q in small.trial.edit.batches["variant"].values() if isinstance(q, Choice)]
    assert [text[0] for text in translated.options.values()] == [
        german.split(f'"{o}": "')[1][0] for o in question.options
    ]
    assert violated_again(small, model(rule))


def test_structured_states_lose_members_then_sentences() -> None:
    state = {"order": {"id": 7, "note": "Fine. The cup broke. Thanks."}, "history": [{"at": 1}, {"at": 2, "by": "Bo"}]}
    case = replace(PARCEL, state=state)

    def rule(request: Request, key: str) -> float:
        said = str(request.state)
        return 1.0 if "The cup broke." in said and "Bo" in said and "negated" in key else 0.0

    small = shrunk("negation_wrapper", "late", rule, case)
    assert small.case.state == {"order": {"note": "The cup broke."}, "history": [{"by": "Bo"}]}


def test_a_state_is_never_emptied_and_a_case_without_a_need_for_one_keeps_some_words() -> None:
    case = Case("c", {"a": {"b": "One. Two."}, "c": ["x", ""]}, {"q": Noul("Is it?")})
    small = shrunk("negation_wrapper", "q", lambda _, key: float("negated" in key), case)
    assert small.case.state in ({"a": {"b": "One."}}, {"a": {"b": "Two."}}, {"c": ["x"]})


@pytest.mark.parametrize("most", [0, 1, 2, 5, 9, 14])
def test_no_more_requests_than_allowed_and_what_was_reached_is_kept(most: int) -> None:
    asked: set[str] = set()

    def rule(request: Request, key: str) -> float:
        return 1.0 if "negated" in key and "wet" in request.questions else 0.0

    def ask(request: Request) -> Answered:
        asked.add(request.digest)
        return model(rule)(request)

    test = planned("negation_wrapper", "broken")
    own = {PARCEL.request().digest, *(PARCEL.follow_up(b).digest for t in test.trials for b in t.edit.batches.values())}
    small = shrunk("negation_wrapper", "broken", rule, requests=most, ask=ask)
    assert len(asked - own) <= most
    assert small.requests == len(asked - own)
    assert small.ended == "requests"
    assert small.outcome.violated
    assert small.after.characters <= small.before.characters
    whole = shrunk("negation_wrapper", "broken", rule)
    assert whole.requests > most
    assert whole.after.characters <= small.after.characters


@pytest.mark.parametrize(("reason", "ended"), [("over_budget", "over_budget"), ("unreachable", "unreachable")])
def test_a_model_that_is_not_asked_any_more_ends_it(reason: str, ended: str) -> None:
    nothing: Answered = Unanswered(reason, "no more")  # type: ignore[arg-type]
    small = shrunk("negation_wrapper", "broken", lambda _, key: float("negated" in key), ask=lambda _: nothing)
    assert (small.ended, small.alone, small.seed, small.case) == (ended, "not_judged", None, PARCEL)


def test_what_a_server_refuses_is_no_smaller_form() -> None:
    def rule(request: Request, key: str) -> float:
        return float("negated" in key)

    def ask(request: Request) -> Answered:
        if "Monday" not in str(request.state):
            return Unanswered("refused", "HTTP 422: the state names no day")
        return model(rule)(request)

    small = shrunk("negation_wrapper", "broken", rule, ask=ask)
    assert small.case.state == "It came on Monday."
    assert small.ended == "minimal"


def test_a_violation_of_one_drawn_key_alone_is_told_as_such() -> None:
    test = planned("key_rename", "broken")
    drawn = str(test.trials[0].params["new_key"])
    small = shrunk("key_rename", "broken", lambda _, key: float(key == drawn))
    assert (small.ended, small.seed, small.case) == ("not_repeated", None, PARCEL)


def test_a_held_test_is_refused() -> None:
    test = planned("negation_wrapper", "broken")
    held: TestResult = verdict(test, PARCEL, model(lambda _, key: 0.0))
    with pytest.raises(ValueError, match="is not violated"):
        shrink(test, PARCEL, held, model(lambda _, key: 0.0))


RELATIONS = [("negation_wrapper", "late"), ("batch_solo", "wet"), ("option_clone", "wish"), ("typo_noise", "mood")]
SENTENCES = ("It came on Monday.", "The box was wet.", "The cup has a crack!", "I am in no hurry.")


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(RELATIONS),
    st.sets(st.sampled_from(["late", "mood", "broken", "wet"]), max_size=2),
    st.sets(st.sampled_from(SENTENCES), max_size=2),
)
def test_what_is_to_blame_stays_and_nothing_can_be_left_out(
    which: tuple[str, str], companions: set[str], sentences: set[str]
) -> None:
    """The follow-up breaks where these questions' texts and these sentences are there."""
    relation, key = which
    wanted = texts({k: PARCEL.questions[k] for k in companions - {key}})

    def rule(request: Request, asked: str) -> float:
        if request.questions == PARCEL.questions or not all(s in str(request.state) for s in sentences):
            return 0.0
        if relation == "batch_solo":
            return float(len(request.questions) == 1)
        there = wanted <= texts(request.questions)
        question = request.questions[asked]
        changed = "negated" in asked
        if relation == "option_clone" and isinstance(question, Choice):
            changed = any(option.endswith("_b") for option in question.options)
        if relation == "typo_noise":
            changed = asked == key and question.instructions != PARCEL.questions[key].instructions
        return float(there and changed)

    small = shrunk(relation, key, rule)
    assert small.ended == "minimal"
    assert violated_again(small, model(rule))
    assert all(sentence in str(small.case.state) for sentence in sentences)
    if relation != "batch_solo":
        assert wanted <= texts(small.case.questions)
        assert set(small.case.questions) == {key, *companions}
    elif len(small.case.questions) > 2:
        pytest.fail("a question asked alone needs one companion to differ")
    assert str(small.case.state).count(".") + str(small.case.state).count("!") == max(1, len(sentences))
    for gone in set(small.case.questions) - {key}:
        fewer = replace(small.case, questions={k: q for k, q in small.case.questions.items() if k != gone})
        how = get(relation).transformation
        if key in list(how.targets(SourceCase(fewer, small.bank))):
            trial = get(relation).build(SourceCase(fewer, small.bank), key, small.trial.variant, 0, 0)
            one = PlannedTest(small.test, (trial,))
            assert judge(one, fewer, model(rule)(fewer.request()), model(rule)).verdict == "held"
