"""`maguyva serve`, but without the pauses between writes that GitHub wants: for tests that kill it and want to see the end of it.

python -m support.quick_serve PORT [ROLE]
python -m support.quick_serve beside FD         the process that works, started by the one that receives
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from bot.pace import Pace
from bot.serve import serve
from bot.settings import read_settings
from bot.worker import work

QUICK: dict[str, Any] = {"pace": Pace(minute=10**6, hour=10**6, gap=0.0, urgent_minute=10**6), "poll_seconds": 0.05, "look_seconds": 2.0}
BESIDE = (sys.executable, "-m", "support.quick_serve", "beside")

if __name__ == "__main__":
    if sys.argv[1] == "beside":
        sys.exit(work(read_settings(os.environ), int(sys.argv[2]), **QUICK))
    options = argparse.Namespace(role=sys.argv[2] if len(sys.argv) > 2 else "all", host="127.0.0.1", port=int(sys.argv[1]))
    sys.exit(serve(options, os.environ, BESIDE, **QUICK))
