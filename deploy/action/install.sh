#!/usr/bin/env bash
# A virtual environment with exactly the packages of deploy/constraints-action.txt, and the key of the index in the workflow's cache.
set -euo pipefail
cd "$ACTION"

python=""
for one in python3 python3.14 python3.13 python3.12 python3.11 python; do
  if "$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$one
    break
  fi
done
if [ -z "$python" ]; then
  echo "::error title=Maguyva::Python 3.11 or later is needed: give the input python-version, for example '3.13'."
  exit 2
fi

venv=${MAGUYVA_VENV:-$RUNNER_TEMP/maguyva-venv} # a machine of your own may keep it from run to run
if [ ! -e "$venv/ready" ]; then
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    -r deploy/constraints-action.txt
  touch "$venv/ready"
fi
PYTHONPATH=$ACTION PYTHONSAFEPATH=1 "$venv/bin/python" -m bot.action --prepare "${WANTED:-}"
