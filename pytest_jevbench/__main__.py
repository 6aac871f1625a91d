"""``python -m pytest_jevbench`` is the command ``pytest-jevbench``."""

import sys

from pytest_jevbench.cli import main

sys.exit(main())
