"""Regenerate the option data from wheels or source trees.

Releases that are not named stay as they are, so that a new release needs only its own wheel.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from pathlib import Path

from sglang_lint.releases.extract.encode import decode, encode, facts_of
from sglang_lint.releases.extract.release import extract_release
from sglang_lint.releases.extract.tree import NotASourceTreeError

DATA = Path(__file__).resolve().parent.parent / "sglang_lint/releases/data/options.json"


def main() -> int:
    """Read the sources named and write the data file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path, metavar="WHEEL_OR_TREE")
    parser.add_argument("--from-scratch", action="store_true", help="drop every other release")
    parser.add_argument("-o", "--output", type=Path, default=DATA)
    arguments = parser.parse_args()
    releases = {}
    if arguments.output.exists() and not arguments.from_scratch:
        releases = decode(json.loads(arguments.output.read_text(encoding="utf-8")))
    failed = False
    for source in arguments.sources:
        try:
            extracted = extract_release(source)
        except (NotASourceTreeError, OSError, zipfile.BadZipFile) as error:
            print(f"{source}: {error}", file=sys.stderr)
            failed = True
            continue
        releases[extracted.version] = facts_of(extracted)
        print(f"{extracted.version}: {len(extracted.options)} options")
        for reason in extracted.unresolved:
            print(f"    {reason}")
    arguments.output.write_text(encode(releases), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
