"""Names and bounds that the resolver and those who explain its edges share. Light to import."""

from __future__ import annotations

MAX_OVERRIDERS = 6  # a call that may run more methods than this is left to their OVERRIDE edges

# Methods of the built-in types: `x.get()` on something unknown is more often a dict than a class of the project.
COMMON_MEMBERS = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, frozenset, type(iter([])), object, Exception) for name in dir(kind)
) | frozenset(
    """
    read write close open flush seek tell readline readlines fileno push pop shift unshift slice splice concat map filter reduce forEach
    find findIndex some every includes indexOf then catch finally has set get delete add keys values entries toString valueOf replace
    match test exec trim toLowerCase toUpperCase apply call bind hasOwnProperty length name send put start stop run join wait acquire
    release group log error warn info debug warning exception emit on off once next throw addEventListener removeEventListener append
    submit result cancel done
    """.split()
)
