"""All that a law of one's own is written with: ``from pytest_jevbench.own_laws import OwnLaw, Noul, at_most``.

:class:`OwnLaw` is the base class, ``Noul``, ``Choice`` and ``Score`` are the questions to ask. A law's ``measure`` gets
a :class:`Reading` and returns what one of these makes of it:

=================  ============================================================================================
``at_most``        a probability keeps under a bound: the deviation is the amount past it
``at_least``       a probability keeps above a bound
``equal``          two distributions are one: their total variation distance
``equal_numbers``  numbers of the same name are equal: the largest gap
``complementary``  P(event) and P(its opposite) sum to 1: the gap to 1
``never_rising``   members of a chain do not rise, first to last: the largest rise
=================  ============================================================================================

or a :class:`Measurement` of its own, or a list of them. docs/own-laws.md shows whole laws.
"""

from pytest_jevbench.distributions import Distribution, coarsen, collapse, condition, relabel, total_variation
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations.base import Edit, Measurement, Reading, SourceCase
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.laws import at_least, at_most, complementary, equal, equal_numbers, never_rising
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.relations.own_registry import Registry

__all__ = [
    "Choice",
    "Distribution",
    "Draw",
    "Edit",
    "Measurement",
    "Noul",
    "OwnLaw",
    "Question",
    "Reading",
    "Registry",
    "Score",
    "SourceCase",
    "at_least",
    "at_most",
    "coarsen",
    "collapse",
    "complementary",
    "condition",
    "equal",
    "equal_numbers",
    "never_rising",
    "relabel",
    "total_variation",
]
