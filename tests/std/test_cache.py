"""The cache against a list of its entries, the last used one last."""

from hypothesis import given
from hypothesis import strategies as st

from std.cache import Cache


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60))), st.integers(1, 100))
def test_the_cache_keeps_its_bound_and_what_was_used_last(entries, limit):
    cache, used = Cache(limit), {}
    for key, size in entries:
        cache.put(key, size, size)
        if size <= limit:
            used.pop(key, None)
            used[key] = size
            while sum(used.values()) > limit:
                del used[next(iter(used))]
        assert cache.bytes == sum(used.values()) <= limit
    for key in range(6):
        assert cache.get(key) == used.get(key)
    cache.clear()
    assert cache.bytes == 0
