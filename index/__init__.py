"""The engine: knows code and commits, and has never heard of GitHub."""

import os

# Before numpy is loaded anywhere. Our matrix products are small: a second BLAS thread spins more than it helps (embedding django once
# cost 0.8 CPU s with one thread, and up to 5.0 with two on a busy machine). A value that is already set is kept.
for _setting in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_setting, "1")
