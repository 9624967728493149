"""In how many signs two frames differ: four instructions in compiled code.

differing    of two frames; kernels call it
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

from std.execution.compiled import compiled_within
from std.store.columns import UInt64s


def _count_ones(context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


ones: Any = intrinsic(_count_ones)


@compiled_within
def differing(one: UInt64s, other: UInt64s) -> int:
    """In how many of their 256 signs two frames differ.

    Args:
        one, other: (4,) the signs of each.
    """
    count = ones(one[0] ^ other[0]) + ones(one[1] ^ other[1])
    count += ones(one[2] ^ other[2]) + ones(one[3] ^ other[3])
    return int(count)
