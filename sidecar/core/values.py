"""Values that every command makes anew."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import frozen as value
else:
    # Frozen for the type checker alone: refusing assignments also at run time takes six times as
    # long to make one, a tenth of what a command takes.
    from attrs import define as value

__all__ = ["value"]
