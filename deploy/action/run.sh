#!/usr/bin/env bash
# Every input comes in by the environment. -P and the explicit path: nothing of the workspace is ever imported.
set -euo pipefail
cd "$RUNNER_TEMP"
PYTHONPATH=$ACTION PYTHONSAFEPATH=1 exec "${MAGUYVA_VENV:-$RUNNER_TEMP/maguyva-venv}/bin/python" -m bot.action
