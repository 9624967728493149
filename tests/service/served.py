"""What tests of running services share: recordings of the example, and waiting."""

import time


def wait_for(condition):
    deadline = time.monotonic() + 300  # kernels may be compiled before
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def meshes(german, *numbers):
    return [str(german / "mesh" / f"KERSTIN_{number:02d}.mesh") for number in numbers]
