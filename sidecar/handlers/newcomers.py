"""Which rows of a table other processes added since the last look, also where they are done already."""

from attrs import define, field


@define
class Newcomers:
    """Tells rows that others added from those that this process added itself, by their keys."""

    last: int = 0
    """The newest key at the last look."""
    _own: set[int] = field(factory=set)

    def wrote(self, key: int) -> None:
        """Remember a row that this process wrote; the host hears of it anyway."""
        self._own.add(key)

    def is_news(self, key: int) -> bool:
        """Whether another process added a row since the last look."""
        return key > self.last and key not in self._own

    def looked(self, newest: int) -> None:
        """All rows up to ``newest`` are known now."""
        self.last = newest
        self._own.clear()

    def nothing_came(self) -> None:
        """No other process wrote since the last look: what is newer is this one's."""
        self.looked(max(self._own, default=self.last))
