"""Files, read as people write them and written whole.

What a person or another tool wrote may start with a byte-order mark, end its lines with CRLF and hold blank lines;
errors name the physical line, counted at line feeds alone, as editors count.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JsonProblem, find_surrogate, loads

__all__ = [
    "BOM",
    "append_text",
    "json_items",
    "parse_json",
    "parse_jsonl",
    "parse_line",
    "read_bytes",
    "read_json",
    "read_jsonl",
    "refuse_input",
    "write_whole",
]

BOM = b"\xef\xbb\xbf"


def write_whole(path: Path | str, data: bytes | str | Iterable[str]) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    ``data`` may come as pieces of text, so that a large file need not be in memory whole. Text is written in UTF-8 with
    its line feeds as they are. A link is followed; the permissions of a file that stood there are kept. What is no
    regular file, such as ``/dev/stdout``, is written to and not replaced. Raises ``OSError``.
    """
    if Path(path).exists() and not Path(path).is_file():
        _write_through(Path(path), data)
        return
    target = Path(path).resolve()
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            if isinstance(data, bytes):
                file.write(data)
            else:
                file.writelines(piece.encode() for piece in ([data] if isinstance(data, str) else data))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and str(error.filename) == str(temporary):  # a name that nobody gave
            error.filename, error.filename2 = str(path), None
        raise


def _write_through(path: Path, data: bytes | str | Iterable[str]) -> None:
    """Write into a device or a pipe. A directory raises ``IsADirectoryError``, a disk ``OSError``."""
    if path.is_block_device():
        raise OSError(errno.EINVAL, "this is a disk, not a file", str(path))
    with path.open("wb", buffering=0) as file:
        pieces = [data] if isinstance(data, (bytes, str)) else data
        for piece in pieces:
            file.write(piece.encode() if isinstance(piece, str) else piece)


def refuse_input(out: Path | str, inputs: Iterable[Path | str]) -> None:
    """Refuse to write over what was read. Raises :class:`InputError`."""
    target = Path(out).resolve()
    if any(Path(path).resolve() == target for path in inputs):
        raise InputError(
            "this is what is read, and would be written over", place=Place(out), advice="Name another file"
        )


def append_text(path: Path | str, text: str) -> None:
    """Add text to the end of a file, in UTF-8, its line feeds as they are. Raises ``OSError``."""
    with Path(path).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text)


def read_bytes(path: Path | str) -> bytes:
    """The content of a file. Raises :class:`InputError` that says why there is none."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", place=Place(path)) from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", place=Place(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", place=Place(path)) from None


def read_json(path: Path | str) -> Any:
    """The value of a JSON file. Raises :class:`InputError`."""
    return parse_json(read_bytes(path), Place(path))


def read_jsonl(path: Path | str) -> Iterator[tuple[Place, Any]]:
    """The values of a file with one JSON text a line, each with its place. Raises :class:`InputError`."""
    return parse_jsonl(read_bytes(path).split(b"\n"), path)


def parse_json(data: bytes, place: Place, *, strict: bool = True) -> Any:
    """The value of a JSON text in UTF-8. Raises :class:`InputError`.

    Unless ``strict``, keys that stand twice are marked and NaN and infinities read, for a reader that tells where.
    """
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        bad = data[: error.start + (len(BOM) if data.startswith(BOM) else 0)]
        line = place.line if place.line is not None else bad.count(b"\n") + 1
        raise InputError(
            f"byte {len(bad) - bad.rfind(bytes([10]))} of the line is not UTF-8",
            place=Place(place.file, line, place.field),
            advice="Save the file as UTF-8",
        ) from None
    try:
        return loads(text, mark_duplicates=not strict, allow_constants=not strict)
    except JsonProblem as problem:
        raise InputError(str(problem), place=place) from None


def parse_jsonl(lines: Iterable[bytes], file: Path | str) -> Iterator[tuple[Place, Any]]:
    """The values of the lines that are not blank, each with its place. Raises :class:`InputError`."""
    for number, line in enumerate(lines, 1):
        content = line.removeprefix(BOM) if number == 1 else line
        if content and not content.isspace():
            place = Place(file, number)
            yield place, parse_line(content, place)


def json_items(data: bytes, file: Path | str, under: str) -> Iterator[tuple[Place, Any]]:
    """The items of a JSON file that holds one of them, a list of them, or an object with the list under a name, each
    with its place. Raises :class:`InputError`."""
    place = Place(file)
    value = parse_json(data, place)
    if isinstance(value, dict) and isinstance(value.get(under), list):
        value, place = value[under], place.at(under)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield place.at(f"[{index}]"), item
    else:
        yield place, value


def parse_line(line: bytes, place: Place) -> Any:
    """The value of one line of JSON. Raises :class:`InputError`.

    A lone surrogate anywhere in the value is refused here, with its field: no file and no server can hold it.
    """
    value = parse_json(line, place)
    if b"\\u" in line:  # the only way a surrogate gets through UTF-8
        _refuse_surrogate(value, place)
    return value


def _refuse_surrogate(value: object, place: Place) -> None:
    field = find_surrogate(value)
    if field is not None:
        raise InputError(
            "the text has a lone surrogate (half of a character)",
            place=place.at(field) if field else place,
            advice="Repair the text where it was exported; no server can be sent this",
        )
