"""Uploaded records: kept in memory only, under ids that cannot be guessed; the oldest make room."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable

from noctagon.web.tables.registry import Unknown

MOST_RECORDS = 1000
MOST_BYTES = 64 * 2**20
MARK = "u"
"""First letter of the id of an uploaded record; those of the store are numbers."""


class Uploads:
    """Uploaded records, limited in number and in bytes.

    >>> uploads = Uploads(records=1)
    >>> first, second = uploads.put([b"{}", b"[]"])
    >>> uploads.get(second)
    b'[]'
    >>> uploads.get(first)
    Traceback (most recent call last):
    noctagon.web.tables.registry.Unknown: there is no such record here, or it was cleared away: open the file again
    """

    def __init__(self, *, records: int = MOST_RECORDS, size: int = MOST_BYTES) -> None:
        self.most_records = records
        self.most_bytes = size
        self.evaluating = 0
        """Number of games that are being evaluated."""
        self._records: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._records)

    def put(self, records: Iterable[bytes]) -> list[str]:
        """Keep records and return their ids."""
        ids = []
        for record in records:
            name = MARK + secrets.token_urlsafe(12)
            self._records[name] = record
            self._size += len(record)
            ids.append(name)
        while len(self._records) > self.most_records or self._size > self.most_bytes:
            self._size -= len(self._records.popitem(last=False)[1])
        return ids

    def get(self, id: str) -> bytes:  # noqa: A002 - what it is called everywhere
        if id not in self._records:
            raise Unknown("there is no such record here, or it was cleared away: open the file again")
        self._records.move_to_end(id)
        return self._records[id]
