"""Where checks put what they find."""

from attrs import define, field

from tests.faults.history import Call, Violation


@define
class Findings:
    """Violations, in the order in which they were found."""

    found: list[Violation] = field(factory=list)

    def add(self, code: str, what: str, call: Call | None = None) -> None:
        self.found.append(Violation(code, what, 0 if call is None else call.sent))
