"""Waiting for what comes by itself, or doesn't."""

import time


def tries(seconds, pause=0.05):
    """Goes round until some seconds are over, at least once, with a pause after each time.

    A loop over these is left once it has what it waits for; what comes after it is for the case that it never had.
    """
    until = time.monotonic() + seconds
    while True:
        yield
        if time.monotonic() > until:
            return
        time.sleep(pause)
