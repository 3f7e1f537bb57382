"""What was made of documents, kept for those used last, within a bound on their text together.

A parsed document takes a hundred times the memory of its text, and anybody may send one: what bounds their number alone
lets strangers fill a process.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

MOST = 512
MOST_CHARACTERS = 256 * 1024
LONGEST = 16 * 1024


class Kept(Generic[KeyT, ValueT]):
    """At most `most` values, of at most `characters` of text together. What was made of a text longer
    than `longest` is never kept.
    """

    def __init__(self, *, most: int = MOST, characters: int = MOST_CHARACTERS, longest: int = LONGEST) -> None:
        self._most, self._most_characters, self._longest = most, characters, longest
        self._known: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self.characters = 0
        """How long the texts are together."""

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._known

    def get(self, key: KeyT) -> ValueT | None:
        """The value, which is thereby the one used last."""
        known = self._known.get(key)
        if known is None:
            return None
        self._known.move_to_end(key)
        return known[0]

    def keep(self, key: KeyT, value: ValueT, length: int) -> None:
        """Keep what was made of a text of that length, in place of what was kept under the key;
        forget those used longest ago.
        """
        if length > self._longest:
            return
        _, freed = self._known.pop(key, (None, 0))
        self._known[key] = value, length
        self.characters += length - freed
        while len(self._known) > self._most or self.characters > self._most_characters:
            _, (_, freed) = self._known.popitem(last=False)
            self.characters -= freed
