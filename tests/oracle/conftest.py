"""The tools that compare with real releases are scripts; their tests import them as modules."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
