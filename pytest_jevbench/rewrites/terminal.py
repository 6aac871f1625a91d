"""A terminal that gives one key at a time."""

from __future__ import annotations

import os
import shutil
import sys

__all__ = ["Terminal"]

_ESCAPE = b"\x1b"
_REST_SECONDS = 0.05
"""The rest of an arrow key's characters comes at once."""


class Terminal:
    """The process's own terminal. A key is read without Enter where the system can do that."""

    @staticmethod
    def there() -> bool:
        """Whether a person can be asked: input and output are a terminal."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    @property
    def width(self) -> int:
        return min(160, shutil.get_terminal_size().columns)

    def show(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def line(self, prompt: str) -> str:
        """A typed line; empty where the input has ended."""
        try:
            return input(prompt)
        except EOFError:
            return ""

    def key(self) -> str:
        """The next key; a blank for keys that send more than a character, empty where the input has ended."""
        try:
            import termios
            import tty
        except ImportError:
            return self._windows_key()
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor, termios.TCSADRAIN)
            return _read_key(descriptor)
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    def _windows_key(self) -> str:
        try:
            import msvcrt
        except ImportError:
            return self.line("")[:1] or " "
        key: str = msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]  # it is there on Windows
        if key in ("\x00", "\xe0"):
            msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
            return " "
        if key == "\x03":
            raise KeyboardInterrupt
        return key


def _read_key(descriptor: int) -> str:
    first = os.read(descriptor, 1)
    if first == _ESCAPE:
        _skip_sequence(descriptor)
        return " "
    if first and first[0] >= 0xC0:  # the first byte of a character of several
        os.read(descriptor, 1 if first[0] < 0xE0 else 2 if first[0] < 0xF0 else 3)
        return " "
    return first.decode("latin-1")


def _skip_sequence(descriptor: int) -> None:
    """Read what follows an escape: nothing, a character, or ``[`` and all up to a letter or ``~``."""
    import select

    introduced = False
    while select.select([descriptor], [], [], _REST_SECONDS)[0]:
        byte = os.read(descriptor, 1)
        if introduced and byte and not 0x40 <= byte[0] <= 0x7E:
            continue
        if introduced or byte not in (b"[", b"O"):
            return
        introduced = True
