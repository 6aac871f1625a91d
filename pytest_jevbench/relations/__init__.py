"""The 50 metamorphic relations and two diagnostics; importing this package registers them in taxonomy order."""

from pytest_jevbench.relations import representation  # isort: skip
from pytest_jevbench.relations import batch  # isort: skip
from pytest_jevbench.relations import measure  # isort: skip
from pytest_jevbench.relations import logic  # isort: skip
from pytest_jevbench.relations import choice_set  # isort: skip
from pytest_jevbench.relations import diagnostics  # isort: skip

__all__ = ["batch", "choice_set", "diagnostics", "logic", "measure", "representation"]
