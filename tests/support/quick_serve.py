"""`maguyva serve`, but without the pauses between writes that GitHub wants: for tests that kill it and want to see the end of it.

    python -m support.quick_serve PORT [ROLE]
"""

from __future__ import annotations

import argparse
import os
import sys

from bot.records import Pace
from bot.serve import serve

QUICK = Pace(minute=10**6, hour=10**6, gap=0.0, urgent_minute=10**6)

if __name__ == "__main__":
    options = argparse.Namespace(role=sys.argv[2] if len(sys.argv) > 2 else "all", host="127.0.0.1", port=int(sys.argv[1]))
    sys.exit(serve(options, os.environ, pace=QUICK, poll_seconds=0.05, look_seconds=2.0))
