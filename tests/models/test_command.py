"""A program as a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelDown, Place, Refused, Unreachable
from pytest_jevbench.models.command import CommandModel
from pytest_jevbench.models.command_lines import command_line, shown_command
from pytest_jevbench.models.processes import PlainProcesses
from pytest_jevbench.questions import Request
from tests.models.conftest import ONE_NOUL

Script = Callable[[str], str]

ANSWER = """
import json, sys
body = json.load(sys.stdin)
print(json.dumps({"answers": {"n": {"type": "noul", "noul": 0.5}}, "model": "p-1"}))
"""


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """The command that runs a script of this text."""

    def make(text: str) -> str:
        path = tmp_path / "a model.py"
        path.write_text(text, encoding="utf-8")
        return f"'{sys.executable}' '{path}'"

    return make


def test_the_whole_request_goes_in_and_the_answers_come_out(
    script: Script, tmp_path: Path, request_of_all_types: Request
) -> None:
    seen = tmp_path / "seen.json"
    command = script(ANSWER + f"open({str(seen)!r}, 'w').write(json.dumps(body))")
    reply = CommandModel(command, model="mine").ask(request_of_all_types)
    assert (reply.answers, reply.model, reply.attempts) == ({"n": {"type": "noul", "noul": 0.5}}, "p-1", 1)
    assert json.loads(seen.read_text()) == {"model": "mine", **request_of_all_types.body()}


@pytest.mark.parametrize("platform", [None, PlainProcesses()], ids=["groups", "fallback"])
def test_a_status_is_a_refusal_with_the_end_of_what_was_written(
    script: Script, platform: PlainProcesses | None
) -> None:
    command = script("import sys; sys.stderr.write('x' * 1000 + ' no such model'); sys.exit(3)")
    with pytest.raises(Refused, match=r"exit status 3; it wrote: …x+ no such model$") as caught:
        CommandModel(command, platform=platform).ask(ONE_NOUL)
    assert len(caught.value.body) == 301


@pytest.mark.parametrize("platform", [None, PlainProcesses()], ids=["groups", "fallback"])
def test_a_program_that_takes_too_long_is_ended(script: Script, platform: PlainProcesses | None) -> None:
    command = script("import sys, time; sys.stderr.write('loading'); sys.stderr.flush(); time.sleep(600)")
    with pytest.raises(Unreachable, match=r"no answer within 0\.5 s; it wrote: loading"):
        CommandModel(command, timeout=0.5, platform=platform).ask(ONE_NOUL)


def test_a_program_ended_by_a_signal_is_no_refusal(script: Script) -> None:
    command = script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    model = CommandModel(command, down_after=2)
    with pytest.raises(Unreachable, match="signal 9"):
        model.ask(ONE_NOUL)
    with pytest.raises(ModelDown):
        model.ask(ONE_NOUL)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "not JSON"),
        ("Loading...\n{}", "not JSON.*Loading"),
        ("{}", "without an"),
        ('{"n": {"type": "noul", "noul": 0.5}}', 'without an "answers" object'),
        ('{"answers": [1]}', "no object"),
    ],
)
def test_output_that_is_no_response_is_a_format_error(script: Script, output: str, words: str) -> None:
    with pytest.raises(AnswerFormatError, match=f"(?s){words}"):
        CommandModel(script(f"print({output!r}, end='')")).ask(ONE_NOUL)


def test_output_in_another_encoding_is_a_format_error(script: Script) -> None:
    with pytest.raises(AnswerFormatError, match="UTF-8"):
        CommandModel(script(r"import sys; sys.stdout.buffer.write(b'\xff\xfe')")).ask(ONE_NOUL)


def test_an_error_object_is_a_refusal(script: Script) -> None:
    with pytest.raises(Refused, match="too many options"):
        CommandModel(script("""print('{"error": {"message": "too many options"}}')""")).ask(ONE_NOUL)


def test_a_program_that_does_not_read_its_input_may_answer(script: Script) -> None:
    command = script("""print('{"answers": {}}')""")
    assert CommandModel(command).ask(Request("x" * 1_000_000, ONE_NOUL.questions)).answers == {}


def test_variables_in_front_of_the_command_are_set(script: Script) -> None:
    text = """import os; print('{"answers": {"n": "' + os.environ['LEVEL'] + '"}}')"""
    assert CommandModel("LEVEL='a b' " + script(text)).ask(ONE_NOUL).answers == {"n": "a b"}


def test_a_key_is_hidden_in_what_is_told_and_recorded(script: Script) -> None:
    command = script("import sys; sys.stderr.write('bad key sk-own-42 hunter2!'); sys.exit(1)")
    model = CommandModel(f"{command} --api-key sk-own-42", secrets=("hunter2!",))
    with pytest.raises(Refused) as caught:
        model.ask(ONE_NOUL)
    for secret in ("sk-own-42", "hunter2!"):
        assert secret not in f"{caught.value}{caught.value.body}{model!r}{model.identity}"
    assert model.identity.launch.endswith("--api-key ***")


def test_identity(script: Script) -> None:
    identity = CommandModel(script(ANSWER), revision="r1").identity
    assert (identity.dialect, identity.name, identity.revision, identity.stable) == ("command", "default", "r1", True)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "names no program"),
        ("A=1", "names no program"),
        ("no-such-program-here --x", "there is no program"),
        ("python 'unclosed", "Close the quotes"),
        ("python x.py | tee log", "sh -c"),
        ("python x.py && python y.py", "sh -c"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused_at_once(command: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        CommandModel(command)


def test_a_program_beside_the_running_python_is_found_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = command_line("jevcompat mock", Place()).words[0]
    assert Path(found).parent == Path(sys.executable).parent


def test_backslashes_stay_where_they_separate_folders() -> None:
    line = command_line(rf'"{sys.executable}" C:\models\run.py --port {{port}} "--state=a b"', Place(), posix=False)
    assert line.words == (sys.executable, r"C:\models\run.py", "--port", "{port}", "--state=a b")
    assert line.with_port(81)[3] == "81"


def test_a_list_of_words_is_taken_as_it_is() -> None:
    assert command_line([sys.executable, "-c", "print('|')"], Place()).words[1:] == ("-c", "print('|')")


def test_a_quoted_sign_of_the_shell_is_a_word() -> None:
    assert command_line(f"{sys.executable} --join '|' --then \"&&\"", Place()).words[1:] == (
        "--join",
        "|",
        "--then",
        "&&",
    )


def test_only_port_is_replaced() -> None:
    line = command_line([sys.executable, "{port}", '{"a": {port}, "b": "{host}"}', "{{port}}"], Place())
    assert line.with_port(81)[1:] == ("81", '{"a": 81, "b": "{host}"}', "{81}")


def test_a_command_can_be_shown_where_its_program_is_not() -> None:
    assert (
        shown_command("no-such-program --port {port} --token hunter2!") == "no-such-program --port {port} --token ***"
    )
