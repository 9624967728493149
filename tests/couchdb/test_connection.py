"""Connections are closed with what holds them."""

import gc

from std.store.couchdb.connection import _OpenConnection


class Recorded:
    """A connection that says whether it went unclosed, as sockets do."""

    def __init__(self, unclosed):
        self.unclosed, self.is_closed = unclosed, False

    def close(self):
        self.is_closed = True

    def __del__(self):
        if not self.is_closed:
            self.unclosed.append(self)


def test_a_connection_is_closed_with_its_holder():
    connection = Recorded([])
    opened = _OpenConnection(connection, ("http", "there"))
    assert not connection.is_closed
    del opened
    assert connection.is_closed


def test_it_is_closed_before_it_goes_in_a_circle_of_references():
    unclosed = []
    opened = _OpenConnection(Recorded(unclosed), ("http", "there"))
    opened.circle = opened
    del opened
    gc.collect()
    assert unclosed == []
