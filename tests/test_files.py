"""Reading what people write, and writing whole files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.files import read_bytes, read_json, read_jsonl, write_whole


def places(path: Path) -> list[tuple[int | None, object]]:
    return [(place.line, value) for place, value in read_jsonl(path)]


def test_mark_crlf_blank_line_and_no_last_line_feed(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n \t\n{"a": 2}')
    assert places(path) == [(1, {"a": 1}), (4, {"a": 2})]


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('"a\u2028b\x85c"\n2\n', encoding="utf-8")
    assert places(path) == [(1, "a\u2028b\x85c"), (2, 2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\n\n{'a': 1}\n", r"x\.jsonl, line 3: not JSON: .* at column 2"),
        (b'1\n{"a": "\xff"}\n', r"x\.jsonl, line 2: byte 8 of the line is not UTF-8\. Save the file as UTF-8"),
        (b'{"a": {"b": 1, "b": 2}}', r'line 1: key "b" stands twice in one object'),
        (b'1\n["x", {"k": "\\ud800"}]', r"line 2, \[1\]\.k: the text has a lone surrogate"),
        (b"NaN", r"line 1: NaN is not JSON"),
        (b"[1e400]", r"line 1: 1e400 is too large for a number"),
        (b"1 2", r"line 1: not JSON"),
        (b"\x00", r"line 1: not JSON"),
    ],
)
def test_what_is_wrong_is_told_with_its_physical_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        places(path)


def test_a_json_file_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n "a": 1\r\n}\r\n')
    assert read_json(path) == {"a": 1}
    path.write_bytes(b'{\n "a": }')
    with pytest.raises(InputError, match="line 2, column 7"):
        read_json(path)
    path.write_bytes(b'{\n "a": "\xe9"\n}')
    with pytest.raises(InputError, match="line 2: byte 8 of the line is not UTF-8"):
        read_json(path)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_bytes(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"is a directory|cannot be read"):
        read_bytes(tmp_path)


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_whole(path, "é\n")
    assert path.read_bytes() == b"\xc3\xa9\n"
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").touch()
    with pytest.raises(OSError, match="taken"):
        write_whole(tmp_path / "taken", "x")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "new", "\ud800")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["taken"]


def test_the_file_that_was_asked_for_is_named(tmp_path: Path) -> None:
    wanted = tmp_path / "nowhere" / "card.json"
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(wanted, b"{}")
    assert raised.value.filename == str(wanted)
    assert ".tmp" not in str(raised.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits, and a link there needs a privilege")
def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "out.txt", tmp_path / "link.txt"
    path.write_text("first")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "second")
    assert link.is_symlink()
    assert path.read_text() == "second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_or_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    write_whole(os.devnull, "text")
    assert not Path(os.devnull).is_file()
    if not hasattr(os, "mkfifo"):
        return
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, iter(["ä", "b"]))
        assert os.read(reader, 10) == "äb".encode()
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_directory_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "text")
