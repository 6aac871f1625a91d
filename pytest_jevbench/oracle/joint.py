"""One joint distribution over everything that a case's questions can ask: a finite set of weighted worlds.

Each world assigns an answer to every question of the case, a truth value to every fact an option can be split by and
to every unrelated question, and an integer to every counted thing. All of them hang on common hidden factors, so
that no two are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Joint", "Vector"]

Vector: TypeAlias = NDArray[np.float64]
"""One number a world: an event (0 or 1), a share, a count."""

_FACTORS = 3
_GROUP = 50


class Joint:
    """A joint distribution drawn from a seed.

    ``worlds`` is the number of worlds, ``sharpness`` how strongly each answer hangs on the hidden factors: with a
    large one most probabilities are near 0 or 1.
    """

    def __init__(self, seed: int, worlds: int = 128, sharpness: float = 1.0) -> None:
        self.seed = seed
        self.sharpness = sharpness
        self.size = worlds
        self._given: Mapping[str, Vector] = {}
        rng = self._rng("worlds")
        weights = rng.exponential(size=worlds)
        self.weights: Vector = weights / weights.sum()
        self.factors: Vector = rng.normal(size=(worlds, _FACTORS))
        self.event = lru_cache(maxsize=None)(self._event)
        self.share = lru_cache(maxsize=None)(self._share)
        self.count = lru_cache(maxsize=None)(self._count)

    @classmethod
    def of(cls, weights: Sequence[float], events: Mapping[str, Sequence[int]]) -> Joint:
        """A joint distribution in which some yes/no questions, by key, have given truth values in as many groups of
        worlds as there are weights; everything else varies inside each group."""
        joint = cls(0, _GROUP * len(weights))
        inside = joint.weights.reshape(len(weights), _GROUP)
        joint.weights = (inside / inside.sum(axis=1, keepdims=True) * np.array(weights)[:, None]).ravel()
        joint._given = {f"question {key}": np.repeat(np.array(v, dtype=float), _GROUP) for key, v in events.items()}
        return joint

    def restrict(self, allowed: Vector) -> None:
        """Condition on the worlds in which ``allowed`` is 1. Raises ``ValueError`` where no world is left."""
        weights = self.weights * allowed
        if weights.sum() <= 0:
            raise ValueError("no world is left")
        self.weights = weights / weights.sum()

    def __repr__(self) -> str:
        return f"Joint({self.seed}, worlds={self.size}, sharpness={self.sharpness})"

    def _rng(self, name: str) -> np.random.Generator:
        digest = sha256(f"{self.seed}/{name}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8], "big"))

    def probability(self, event: Vector) -> float:
        """The mass of an event."""
        return float(self.weights @ event)

    @property
    def nothing(self) -> Vector:
        return np.zeros(self.size)

    def _event(self, name: str) -> Vector:
        """An event of a name."""
        if name in self._given:
            return self._given[name]
        rng = self._rng(f"event {name}")
        return (self._pull(rng) > rng.logistic(size=self.size)).astype(float)

    def _share(self, name: str) -> Vector:
        """A number in (0, 1) in every world: how two descriptions of one event divide its mass."""
        return self._rng(f"share {name}").uniform(0.1, 0.9, size=self.size)

    def _count(self, name: str, around: int) -> Vector:
        """An integer of at least 0 in every world, spread around a value."""
        rng = self._rng(f"count {name}")
        spread = 1 + 2 * self._pull(rng) / (1 + self.sharpness)
        return np.maximum(0.0, np.rint(around + spread))

    def partition(self, name: str, answers: Sequence[str]) -> Mapping[str, Vector]:
        """One of the answers in every world: an event for each."""
        rng = self._rng(f"partition {name}")
        pulls = np.stack([self._pull(rng) + rng.gumbel(size=self.size) for _ in answers])
        chosen = pulls.argmax(axis=0)
        return {answer: (chosen == index).astype(float) for index, answer in enumerate(answers)}

    def _pull(self, rng: np.random.Generator) -> Vector:
        pull: Vector = self.sharpness * (rng.normal() + self.factors @ rng.normal(size=_FACTORS))
        return pull
