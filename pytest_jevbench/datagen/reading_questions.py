"""The ``questions`` of a domain file: what is asked, its answer rule and its rewrites."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_jevbench.datagen.domain import LANGUAGES, AnswerRule, BankQuestion, Fact, OptionText
from pytest_jevbench.datagen.reading_facts import fact_kinds, identifier
from pytest_jevbench.datagen.rules import FactKind, parse_rule
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.yaml_text import Entry

__all__ = ["read_questions"]

COMMON = ("type", "ask", "answer", "paraphrases", *LANGUAGES)
OPTIONAL = ("requires", "ask_if")
OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]*")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
OTHERWISE = "otherwise"


def read_questions(entry: Entry, facts: Mapping[str, Fact]) -> dict[str, BankQuestion]:
    """The question bank in its order."""
    kinds = fact_kinds(facts)
    bank = {
        key: _question(identifier(key, item), item, kinds) for key, item in entry.fields("questions by key").items()
    }
    _refuse_equal_texts(bank, entry)
    return bank


def _question(key: str, entry: Entry, kinds: Mapping[str, FactKind]) -> BankQuestion:
    kind = entry.fields().get("type", entry).one_of(("noul", "choice", "score"))
    if kind == "noul":
        fields = entry.known_fields((*COMMON, "negation"), OPTIONAL)
        options: dict[str, OptionText] = {}
        answer = AnswerRule((("yes", parse_rule(fields["answer"].text(), kinds, fields["answer"].place)),))
    elif kind == "choice":
        fields = entry.known_fields((*COMMON, "options"), (*OPTIONAL, "hierarchies"))
        options = _options(fields["options"])
        answer = _answer(fields["answer"], tuple(options), kinds)
    else:
        fields = entry.known_fields((*COMMON, "levels"), OPTIONAL)
        options = _levels(fields["levels"])
        answer = _answer(fields["answer"], tuple(options), kinds)
    return BankQuestion(
        key=key,
        type=kind,  # type: ignore[arg-type]
        ask=_asked(fields["ask"]),
        answer=answer,
        requires=_requires(fields, answer, kinds),
        paraphrases=_paraphrases(fields["paraphrases"]),
        translations=_translations(fields),
        negation=_asked(fields["negation"]) if kind == "noul" else "",
        options=options,
        hierarchies=_hierarchies(fields.get("hierarchies"), tuple(options)),
        ask_if=parse_rule(fields["ask_if"].text(), kinds, fields["ask_if"].place) if "ask_if" in fields else None,
    )


def _asked(entry: Entry) -> str:
    text = " ".join(entry.text("a question").split())
    if not text.endswith("?") or '"' in text:
        raise InputError.unexpected(
            text, 'one question that ends with a question mark and holds no " (relations quote it)', entry.place
        )
    return text


def _described(entry: Entry) -> str:
    text = " ".join(entry.text("a description").split())
    if text[-1] in ".。;,:" or '"' in text:
        raise InputError.unexpected(
            text,
            'a description without a full stop at its end and without " (relations join and quote it)',
            entry.place,
        )
    return text


def _paraphrases(entry: Entry) -> tuple[str, ...]:
    texts = tuple(_asked(item) for item in entry.items("two paraphrases"))
    if len(texts) < 2:
        raise InputError.unexpected(list(texts), "two paraphrases", entry.place)
    return texts


def _translations(fields: Mapping[str, Entry]) -> dict[str, str]:
    result = {}
    for language in LANGUAGES:
        entry = fields[language]
        text = " ".join(entry.text(f"the {LANGUAGES[language]} translation").split())
        if (language == "zh") != bool(CHINESE.search(text)):
            raise InputError.unexpected(text, f"a translation into {LANGUAGES[language]}", entry.place)
        result[language] = text
    return result


def _options(entry: Entry) -> dict[str, OptionText]:
    result = {}
    for option, item in entry.fields("the options by id").items():
        if not OPTION_ID.fullmatch(option):
            raise InputError.unexpected(option, "an option id of letters, digits, _ and -", item.place)
        fields = item.known_fields(("text", "paraphrase", *LANGUAGES))
        result[option] = OptionText(_described(fields["text"]), _described(fields["paraphrase"]), _translations(fields))
    return _distinct(result, entry.place)


def _levels(entry: Entry) -> dict[str, OptionText]:
    result = {}
    for index, item in enumerate(entry.items("the levels, lowest first")):
        fields = item.known_fields(("text", *LANGUAGES))
        result[str(index)] = OptionText(_described(fields["text"]), "", _translations(fields))
    if not 3 <= len(result) <= 9:
        raise InputError.unexpected(len(result), "3 to 9 levels", entry.place)
    return _distinct(result, entry.place)


def _distinct(options: dict[str, OptionText], place: Place) -> dict[str, OptionText]:
    texts = [text.casefold() for option in options.values() for text in (option.text, option.paraphrase) if text]
    for text in texts:
        if texts.count(text) > 1:
            raise InputError(f"{shown(text)} stands twice", place=place, advice="Make all descriptions distinct")
    for language in LANGUAGES:
        translated = [option.translations[language] for option in options.values()]
        if len(set(translated)) != len(translated):
            raise InputError(f"two {language} texts are the same", place=place, advice="Make all descriptions distinct")
    return options


def _answer(entry: Entry, answers: tuple[str, ...], kinds: Mapping[str, FactKind]) -> AnswerRule:
    if isinstance(entry.value, str):
        return _answer_fact(entry, answers, kinds)
    branches = []
    for item in entry.items("a list of `answer: condition`, the last one `answer: otherwise`"):
        ((answer, condition),) = item.fields().items() if len(item.fields()) == 1 else (("", item),)
        if answer not in answers:
            raise InputError.unexpected(answer, f"one of {', '.join(answers)}", item.place)
        text = condition.text("a condition or otherwise")
        branches.append((answer, None if text == OTHERWISE else parse_rule(text, kinds, condition.place)))
    always = [rule is None for _, rule in branches]
    if not always[-1] or any(always[:-1]):
        raise InputError(
            "`otherwise` must stand once, at the end", place=entry.place, advice="So that every case has an answer"
        )
    return AnswerRule(tuple(branches))


def _answer_fact(entry: Entry, answers: tuple[str, ...], kinds: Mapping[str, FactKind]) -> AnswerRule:
    name = entry.text()
    values = kinds[name].values if name in kinds else ()
    if not values or any(value not in answers for value in values):
        raise InputError.unexpected(
            name, "an enum fact whose values are the answers, or a list of `answer: condition`", entry.place
        )
    return AnswerRule(fact=name)


def _requires(fields: Mapping[str, Entry], answer: AnswerRule, kinds: Mapping[str, FactKind]) -> tuple[str, ...]:
    if "requires" not in fields:
        return answer.facts
    entry = fields["requires"]
    if entry.value == "nothing":
        return ()
    return tuple(item.one_of(tuple(kinds)) for item in entry.items("a list of facts, or the word nothing"))


def _hierarchies(entry: Entry | None, options: tuple[str, ...]) -> tuple[dict[str, tuple[str, ...]], ...]:
    result = []
    for item in entry.items("a list of groupings") if entry else ():
        blocks = {block: members.texts() for block, members in item.fields("blocks of option ids").items()}
        listed = [option for members in blocks.values() for option in members]
        if len(blocks) < 2 or sorted(listed) != sorted(options):
            missing = [option for option in options if option not in listed]
            wrong = f"without {', '.join(missing)}" if missing else f"found {shown(item.plain())}"
            raise InputError(
                f"a grouping of the options {wrong}",
                place=item.place,
                advice="Give at least two blocks that hold every option exactly once",
            )
        result.append(blocks)
    return tuple(result)


def _refuse_equal_texts(bank: Mapping[str, BankQuestion], entry: Entry) -> None:
    seen: dict[str, str] = {}
    for key, question in bank.items():
        for text in (question.ask, *question.paraphrases, *filter(None, [question.negation])):
            other = seen.setdefault(text.casefold(), key)
            if other != key or [question.ask, *question.paraphrases, question.negation].count(text) > 1:
                raise InputError(
                    f"{shown(text)} stands twice (in {other} and {key})",
                    place=entry.place,
                    advice="Every question and every rewrite has its own words",
                )
