"""The GitHub Action: one run of a workflow -> a comment, a summary, outputs and files; no server, no queue, no state but a cache.

inputs.py    the runner's environment and event file -> what is asked
outputs.py   what the runner reads back: outputs, summary, log
run.py       the story
"""
