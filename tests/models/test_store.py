"""Answers kept, found again, asked once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jevbench.errors import AnswerFormatError, NotStored, Refused, Unreachable
from pytest_jevbench.json_text import DuplicateKeys
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.store import AnswerStore, Hit, Mine, Mode, Wait
from pytest_jevbench.questions import Choice, Request
from tests.models.stored import MODEL, Counting, answer, fill, of_model, reply, request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".jevbench" / "answers.sqlite"


def test_an_answer_is_asked_once_and_read_as_it_came(path: Path) -> None:
    ask = Counting()
    with AnswerStore.open(path) as store:
        first = of_model(store).answer(request(3), ask)
        second = of_model(store).answer(request(3), ask)
    assert first == (reply(3), False)
    assert second == (reply(3), True)
    assert ask.asked == [3]


def test_an_answer_outlives_the_store_object(path: Path) -> None:
    fill(path, 5)
    ask = Counting()
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        assert [answers.answer(request(number), ask) for number in range(6)] == [
            (reply(number), number < 5) for number in range(6)
        ]
    assert ask.asked == [5]


def test_the_default_folder_keeps_itself_out_of_version_control(path: Path) -> None:
    fill(path, 1)
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_a_folder_of_the_users_own_gets_no_gitignore(tmp_path: Path) -> None:
    fill(tmp_path / "kept" / "answers.sqlite", 1)
    assert not (tmp_path / "kept" / ".gitignore").exists()


def test_the_order_of_questions_and_of_options_makes_another_request(path: Path) -> None:
    first = Request("s", {"q": Choice("Which?", {"a": "one", "b": "two"}), "r": Choice("?", {"a": "x", "b": "y"})})
    other_options = Request("s", {**first.questions, "q": Choice("Which?", {"b": "two", "a": "one"})})
    other_questions = Request("s", {key: first.questions[key] for key in ("r", "q")})
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        answers.put(first, reply(1))
        assert answers.get(first) == reply(1)
        assert answers.get(other_options) is None
        assert answers.get(other_questions) is None


@pytest.mark.parametrize(
    ("identity", "answered"),
    [
        (replace(MODEL, name="other"), "m-2"),
        (replace(MODEL, revision="r"), "m-2"),
        (MODEL, "m-3"),
        (MODEL, None),
    ],
)
def test_another_model_gets_no_hit(path: Path, identity: Identity, answered: str | None) -> None:
    fill(path, 1)
    with AnswerStore.open(path) as store:
        assert store.answers_of(identity, answered).get(request(0)) is None
        assert of_model(store).get(request(0)) == reply(0)


def test_five_repeats_are_five_requests_and_five_hits_later(path: Path) -> None:
    noisy = [Reply({"urgent": {"type": "noul", "noul": 0.5 + step / 100}}, "m-2") for step in range(5)]
    waiting = list(noisy)
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        hits = [answers.answer(request(0), lambda _: waiting.pop(0), repeat).hit for repeat in range(5)]
    assert hits == [False] * 5
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        again = [answers.answer(request(0), lambda _: waiting.pop(0), repeat) for repeat in range(5)]
        assert again == [(got, True) for got in noisy]
        assert answers.repeats(request(0)) == noisy


def test_what_was_stored_first_is_what_everyone_sees(path: Path) -> None:
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        assert answers.put(request(0), reply(1)) == reply(1)
        assert answers.put(request(0), reply(2)) == reply(1)
        assert answers.get(request(0)) == reply(1)


def test_doubled_keys_nan_and_lone_surrogates_survive(path: Path) -> None:
    doubled = DuplicateKeys({"type": "noul", "noul": 0.5})
    doubled.repeated = ("noul",)
    with AnswerStore.open(path) as store:
        of_model(store).put(request(0), Reply({"q": doubled, "\ud800": float("inf")}, "\udfff"))
    with AnswerStore.open(path) as store:
        got = of_model(store).get(request(0))
        assert of_model(store).answered_names() == {"\udfff": 1}
    assert isinstance(got, Reply)
    assert isinstance(got.answers["q"], DuplicateKeys)
    assert got.answers["q"].repeated == ("noul",)
    assert got.answers["\ud800"] == float("inf")
    assert got.model == "\udfff"


def test_a_value_that_no_json_holds_is_used_and_not_stored(path: Path) -> None:
    told: list[str] = []
    odd = Reply({"q": {1: 0.5}}, "m-2")
    with AnswerStore.open(path, warn=told.append) as store:
        answers = of_model(store)
        for _ in range(3):
            assert answers.answer(request(0), lambda _: odd) == (odd, False)
        assert isinstance(answers.claim(request(0)), Mine)
    assert len(told) == 1


def test_a_refused_request_is_asked_once_a_run_and_again_in_the_next(path: Path) -> None:
    def refuse(_: Request) -> Reply:
        raise Refused("too many options", status=422, body="at most 26")

    ask = Counting(refuse)
    for run in ("first", "second"):
        with AnswerStore.open(path, run=run) as store:
            for _ in range(3):
                with pytest.raises(Refused, match="too many options") as caught:
                    of_model(store).answer(request(0), ask)
                assert (caught.value.status, caught.value.body) == (422, "at most 26")
    assert ask.asked == [0, 0]
    with AnswerStore.open(path) as store:
        assert of_model(store).answer(request(0), answer) == (reply(0), False)


def test_a_recorded_refusal_is_replayed_offline(path: Path) -> None:
    with AnswerStore.open(path) as store:
        of_model(store).put(request(0), Refused("no", status=400))
    with AnswerStore.open(path, mode="offline") as store, pytest.raises(Refused, match="no"):
        of_model(store).answer(request(0), answer)


def test_an_unusable_reply_was_paid_for_and_is_not_asked_again(path: Path) -> None:
    def spoil(_: Request) -> Reply:
        raise AnswerFormatError("answers is a list")

    ask = Counting(spoil)
    for _ in range(2):
        with AnswerStore.open(path) as store, pytest.raises(AnswerFormatError, match="answers is a list"):
            of_model(store).answer(request(0), ask)
    assert ask.asked == [0]


def test_a_model_that_is_not_reached_leaves_no_trace(path: Path) -> None:
    def fail(_: Request) -> Reply:
        raise Unreachable("nothing listens")

    with AnswerStore.open(path) as store:
        answers = of_model(store)
        with pytest.raises(Unreachable):
            answers.answer(request(0), fail)
        assert answers.answer(request(0), answer) == (reply(0), False)


def test_an_interrupted_request_can_be_asked_again(path: Path) -> None:
    def interrupt(_: Request) -> Reply:
        raise KeyboardInterrupt

    with AnswerStore.open(path) as store:
        answers = of_model(store)
        with pytest.raises(KeyboardInterrupt):
            answers.answer(request(0), interrupt)
        assert isinstance(answers.claim(request(0)), Mine)


def test_a_claim_is_one_and_is_given_back(path: Path) -> None:
    with AnswerStore.open(path) as one, AnswerStore.open(path) as two:
        mine, theirs = of_model(one), of_model(two)
        claim = mine.claim(request(0))
        assert isinstance(claim, Mine)
        assert isinstance(theirs.claim(request(0)), Wait)
        assert isinstance(theirs.claim(request(1)), Mine)
        assert isinstance(theirs.claim(request(0), repeat=1), Mine)
        mine.release(claim)
        assert isinstance(theirs.claim(request(0)), Mine)
        mine.put(request(0), reply(0))
        assert theirs.claim(request(0)) == Hit(reply(0))


def test_a_claim_whose_lease_ran_out_is_taken_over_and_cannot_be_given_back_by_the_first(path: Path) -> None:
    now = [1000.0]
    with AnswerStore.open(path, clock=lambda: now[0], lease_seconds=60.0) as store:
        answers = of_model(store)
        first = answers.claim(request(0))
        assert isinstance(first, Mine)
        assert isinstance(answers.claim(request(0)), Wait)
        now[0] += 61.0
        assert isinstance(answers.claim(request(0)), Mine)
        answers.release(first)
        assert isinstance(answers.claim(request(0)), Wait)


def test_a_run_that_waits_gets_the_answer_the_other_one_asked_for(path: Path) -> None:
    with AnswerStore.open(path) as one:
        asking = of_model(one)
        assert isinstance(asking.claim(request(0)), Mine)
        naps: list[float] = []

        def sleep(seconds: float) -> None:
            naps.append(seconds)
            if len(naps) == 20:
                asking.put(request(0), reply(0))

        with AnswerStore.open(path, sleep=sleep) as two:
            ask = Counting()
            assert of_model(two).answer(request(0), ask) == (reply(0), True)
    assert ask.asked == []
    assert naps[0] < naps[-1] <= 0.05


def test_a_refresh_asks_each_request_once_more(path: Path) -> None:
    fill(path, 2)
    ask = Counting(lambda _: reply(50))
    with AnswerStore.open(path, mode="refresh") as store:
        answers = of_model(store)
        assert answers.get(request(0)) is None
        assert [answers.answer(request(0), ask) for _ in range(2)] == [(reply(50), False), (reply(50), True)]
        store.end_run()
    assert ask.asked == [0]
    with AnswerStore.open(path) as store:
        assert [of_model(store).get(request(number)) for number in (0, 1)] == [reply(50), reply(1)]


def test_a_complete_refresh_is_not_continued_by_the_next(path: Path) -> None:
    fill(path, 1)
    for number in (50, 51):
        with AnswerStore.open(path, mode="refresh") as store:
            answers = of_model(store)
            assert answers.answer(request(0), lambda _, number=number: reply(number)) == (reply(number), False)
            store.end_run()


def test_offline_answers_from_the_store_and_names_what_is_missing(path: Path) -> None:
    fill(path, 3)
    with AnswerStore.open(path, mode="offline") as store:
        answers = of_model(store)
        assert answers.answer(request(2), Counting()) == (reply(2), True)
        with pytest.raises(NotStored) as caught:
            answers.answer(request(3), answer)
    text = str(caught.value)
    assert request(3).digest[:12] in text
    assert '["urgent", "team"]' in text
    assert "name m, answered m-2" in text
    assert "3 answers of this model" in text
    assert caught.value.attempts == 0


def test_offline_says_under_which_other_model_the_answer_lies(path: Path) -> None:
    fill(path, 1)
    with AnswerStore.open(path, mode="offline") as store, pytest.raises(NotStored) as caught:
        store.answers_of(replace(MODEL, revision="newer"), "m-2").answer(request(0), answer)
    assert "stored for another model: dialect systemone, name m, answered m-2" in str(caught.value)


def test_offline_without_a_first_reply_the_name_used_last_stands(path: Path) -> None:
    clock = iter(range(1000, 2000))
    with AnswerStore.open(path, clock=lambda: float(next(clock))) as store:
        for answered, number in (("m-1", 1), ("m-3", 3), ("m-2", 2)):
            of_model(store, answered).put(request(0), reply(number))
    with AnswerStore.open(path, mode="offline") as store:
        assert of_model(store, None).get(request(0)) == reply(2)
        assert of_model(store, "m-3").get(request(0)) == reply(3)
        assert of_model(store, "m-9").get(request(0)) is None


def test_offline_writes_nothing(path: Path) -> None:
    fill(path, 1)
    before = path.read_bytes()
    with AnswerStore.open(path, mode="offline") as store:
        of_model(store).get(request(0))
        with pytest.raises(NotStored):
            of_model(store).claim(request(1))
        store.end_run()
    assert path.read_bytes() == before


def test_a_replay_can_take_the_model_from_the_store(path: Path) -> None:
    fill(path, 2)
    with AnswerStore.open(path, mode="offline") as store:
        (only,) = store.models()
        assert (only.answers, only.key.parts["answered"]) == (2, "m-2")
        assert store.answers_under(only.key).get(request(1)) == reply(1)


def test_an_alias_that_changes_its_version_in_a_run_is_seen(path: Path) -> None:
    replies = [reply(0), reply(1), reply(2, model="m-3"), reply(3, model=None)]
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        for number, got in enumerate(replies):
            answers.put(request(number), got)
        assert answers.answered_names() == {"m-2": 3, "m-3": 1}
        # asked once all the same, and a resumed run is flagged as the first one was
        assert answers.get(request(2)) == replies[2]


def test_an_unnamed_function_is_stored_for_its_run_alone(path: Path) -> None:
    unnamed = Identity("callable", "f", stable=False)
    with AnswerStore.open(path) as store:
        store.answers_of(unnamed, None).put(request(0), reply(0))
        with AnswerStore.joined(store.handover()) as worker:
            assert worker.answers_of(unnamed, None).get(request(0)) == reply(0)
        with AnswerStore.open(path) as other:
            assert other.answers_of(unnamed, None).get(request(0)) is None
        store.end_run()
        assert store.models() == []


def test_lookups_of_a_whole_plan_go_in_batches(path: Path) -> None:
    fill(path, 1100)
    wanted = [request(number) for number in (*range(1090, 1105), 3, 3, 2000)]
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        assert list(answers.get_many(wanted)) == [
            reply(number) if number < 1100 else None for number in (*range(1090, 1105), 3, 3, 2000)
        ]
        assert list(answers.get_many(request(number) for number in range(1100))) == [
            reply(number) for number in range(1100)
        ]
        assert answers.missing(wanted) == [request(number) for number in (*range(1100, 1105), 2000)]


@pytest.mark.parametrize("shared", [True, False])
def test_a_temporary_store_goes_with_the_run(shared: bool) -> None:
    ask = Counting()
    with AnswerStore.temporary(shared=shared) as store:
        path = store.path
        assert (path is not None) == shared
        assert [of_model(store).answer(request(0), ask).hit for _ in range(2)] == [False, True]
    assert path is None or not path.parent.exists()


@pytest.mark.parametrize("mode", ["use", "refresh"])
def test_a_worker_joins_the_store_and_the_run(path: Path, mode: Mode) -> None:
    with AnswerStore.open(path, mode=mode) as store:
        of_model(store).put(request(0), reply(0))
        with AnswerStore.joined(store.handover()) as worker:
            assert (worker.path, worker.run, worker.mode) == (path, store.run, mode)
            assert of_model(worker).get(request(0)) == reply(0)


def test_a_worker_of_a_private_store_gets_its_own() -> None:
    with AnswerStore.temporary(shared=False) as store, AnswerStore.joined(store.handover()) as worker:
        assert worker.run == store.run
        assert of_model(worker).answer(request(0), answer) == (reply(0), False)
