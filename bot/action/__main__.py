"""`python -m bot.action`: one step of a workflow."""

import sys

from bot.action.run import main

sys.exit(main(sys.argv[1:]))
