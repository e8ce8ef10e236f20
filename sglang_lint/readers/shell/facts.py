"""What a branch tells about one value from outside: `[ "$MODE" = decode ]` holds, or does not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,18}\s*")
NUMERIC = frozenset(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
OPPOSITE = {
    "==": "!=",
    "!=": "==",
    "-eq": "-ne",
    "-ne": "-eq",
    "-lt": "-ge",
    "-ge": "-lt",
    "-gt": "-le",
    "-le": "-gt",
}


def integer(text: str) -> int | None:
    """A decimal number as `test` reads it, None for anything else."""
    return int(text) if _INTEGER.fullmatch(text) else None


def compare(left: str, operator: str, right: str) -> bool | None:
    """Whether two known texts compare so; None where `test` would complain."""
    if operator in ("==", "!="):
        return (left == right) is (operator == "==")
    first, second = integer(left), integer(right)
    if first is None or second is None:
        return None
    return {
        "-eq": first == second,
        "-ne": first != second,
        "-lt": first < second,
        "-le": first <= second,
        "-gt": first > second,
        "-ge": first >= second,
    }[operator]


@dataclass(frozen=True)
class Facts:
    """Bounds on a value that is not known: equal to, different from, at least, at most."""

    equal: str | None = None
    different: frozenset[str] = frozenset()
    least: int | None = None
    most: int | None = None

    def holds(self, operator: str, right: str) -> bool | None:
        """Whether a comparison is true, as far as these facts tell."""
        if self.equal is not None:
            return compare(self.equal, operator, right)
        if operator == "!=":
            equal = self.holds("==", right)
            return None if equal is None else not equal
        number = integer(right)
        if operator == "==":
            outside = number is not None and not self._admits_number(number)
            bounded = self.least is not None or self.most is not None
            if right in self.different or outside or (number is None and bounded):
                return False
            return None
        return None if number is None else self._compares(operator, number)

    def admits(self, text: str) -> bool:
        """Whether the value may be `text`."""
        return self.holds("==", text) is not False

    def given(self, operator: str, right: str, truth: bool) -> Facts | None:
        """These facts and one more; None where they contradict each other."""
        known = self.holds(operator, right)
        if known is not None:
            return self if known is truth else None
        if not truth:
            operator = OPPOSITE[operator]
        if operator == "==":
            return replace(self, equal=right)
        if operator == "!=":
            return replace(self, different=self.different | {right})
        number = integer(right)
        return self if number is None else self._bounded(operator, number)

    def _admits_number(self, number: int) -> bool:
        return (self.least is None or number >= self.least) and (
            self.most is None or number <= self.most
        )

    def _compares(self, operator: str, number: int) -> bool | None:
        least, most = self.least, self.most
        below = most is not None and most < number
        above = least is not None and least > number
        if operator in ("-eq", "-ne"):
            return (operator == "-ne") if below or above else None
        if operator in ("-lt", "-ge"):
            if below:
                return operator == "-lt"
            return operator == "-ge" if least is not None and least >= number else None
        if above:
            return operator == "-gt"
        return operator == "-le" if most is not None and most <= number else None

    def _bounded(self, operator: str, number: int) -> Facts:
        if operator == "-eq":
            return replace(self, equal=str(number))
        if operator == "-ne":
            return replace(self, different=self.different | {str(number)})
        if operator in ("-gt", "-ge"):
            least = number + (operator == "-gt")
            return replace(self, least=least if self.least is None else max(least, self.least))
        most = number - (operator == "-lt")
        return replace(self, most=most if self.most is None else min(most, self.most))
