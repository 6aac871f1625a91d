"""Where a run that a caller starts in Python keeps its answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.runs.ask_ahead import Stop
from pytest_jevbench.runs.estimating import distinct_requests
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.stored_requests import InStore, add_up_stored, nothing_stored

if TYPE_CHECKING:
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.model_answers import Mode
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import AnswerStore

__all__ = ["store_file", "store_opener", "stored_in"]


def store_opener(
    store: str | os.PathLike[str] | None,
    *,
    offline: bool,
    refresh: bool,
    stop: Stop,
    warn: Callable[[str], None],
) -> Callable[[], AnswerStore | PrivateStore]:
    """What opens the answer store of a run; without a file one that is gone with the run.

    Raises :class:`InputError` for a path that is no file, and for modes that cannot be meant.
    """
    if offline and refresh:
        raise InputError("offline asks nothing and refresh asks all again", advice="Give one of both")
    if store is None:
        if offline or refresh:
            mode = "offline" if offline else "refresh"
            raise InputError(
                f"{mode} is about stored answers", place=Place(field=mode), advice="Name a file with store="
            )
        return _private
    path = store_file(store)

    def opened() -> AnswerStore:
        from pytest_jevbench.models.store import AnswerStore

        mode: Mode = "offline" if offline else "refresh" if refresh else "use"
        return AnswerStore.open(path, mode=mode, sleep=stop.sleep, warn=warn)

    return opened


def store_file(store: str | os.PathLike[str]) -> Path:
    """The path of a store. Raises :class:`InputError` where something that is no file lies there."""
    path = Path(store).expanduser()
    if path.exists() and not path.is_file():
        raise InputError("this is no file", place=Place(path), advice="Give store= the path of a file")
    return path


def stored_in(path: Path | None, planned: Run, key: ModelKey | None, *, warn: Callable[[str], None]) -> InStore:
    """What a store has of a run's requests, of the model of this key, else of the one used last.

    A store that is not there yet has nothing.
    """
    requests = distinct_requests(planned)
    if path is None or not path.exists():
        return nothing_stored(requests)
    from pytest_jevbench.models.store import AnswerStore

    with AnswerStore.open(path, warn=warn) as store:
        known = [model.key for model in store.models()]
        used = next((one for one in known if key is None or one.digest == key.digest), None)
        return nothing_stored(requests) if used is None else add_up_stored(requests, store.answers_under(used), used)


def _private() -> PrivateStore:
    from pytest_jevbench.models.private_store import PrivateStore

    return PrivateStore()
