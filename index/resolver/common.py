"""Names and bounds that the resolver and those who explain its edges share. Light to import."""

from __future__ import annotations

from typing import Final

from index.numbers import Step

MAX_OVERRIDERS: Final = 6  # a call that may run more methods than this is left to their OVERRIDE edges
MEETS: Final = Step.DISPATCH  # the whole chain of an edge from a method that meets one of a protocol: no declaration leads there

# Methods of the built-in types: `x.get()` on something unknown is more often a dict than a class of the project.
COMMON_MEMBERS: Final = frozenset(
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

# Names of the language, of browsers, Node and test runners: looked for nowhere else.
WELL_KNOWN: Final = frozenset(
    """
    AbortController AbortSignal Array ArrayBuffer ArrayLike AsyncGenerator AsyncIterable AsyncIterator Awaited BigInt Blob Boolean Buffer
    CustomEvent DOMException DataView Date Document Element Error Event EventEmitter EventTarget Exclude Extract File FormData Function
    Generator HTMLDivElement HTMLElement HTMLInputElement Headers Infinity InstanceType Intl Iterable IterableIterator Iterator JSON Map
    Math MessageEvent MouseEvent NaN Node NodeJS NonNullable Number Object Omit Parameters Partial Pick Promise PromiseLike PropertyKey
    Proxy RangeError React ReadableStream Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Reflect RegExp Request RequestInit
    Required Response ReturnType Set String Symbol SyntaxError TextDecoder TextEncoder ThisType TransformStream TypeError URL
    URLSearchParams Uint8Array Uppercase WeakMap WeakRef WeakSet WebSocket Window WritableStream XMLHttpRequest __dirname __filename
    afterAll afterEach alert arguments atob beforeAll beforeEach btoa cancelAnimationFrame clearInterval clearTimeout console const crypto
    decodeURIComponent describe document encodeURIComponent expect exports fetch global globalThis isNaN it jest localStorage location
    module navigator parseFloat parseInt performance process queueMicrotask requestAnimationFrame require self sessionStorage setImmediate
    setInterval setTimeout structuredClone test undefined vi window
    """.split()
)

# More that a page has of itself: no project would look there for its own names, but one that is gone is found there.
OF_A_PAGE: Final = frozenset(
    """
    Animation Attr Audio Cache Comment Image Location Lock Notification Option Plugin Range Request Selection Storage Text
    Touch Worker addEventListener blur caches close closed confirm customElements dispatchEvent event external find focus frames history
    indexedDB innerHeight innerWidth isFinite length moveBy moveTo name open opener origin parent postMessage print prompt reportError
    resizeBy resizeTo screen scroll scrollBy scrollTo scrollX scrollY status stop top unescape escape eval
    """.split()
)

# Likewise of scripts: more of what strings, arrays, the DOM, streams and responses have.
SCRIPT_MEMBERS: Final = COMMON_MEMBERS | frozenset(
    """
    at charAt charCodeAt codePointAt fill findLast findLastIndex flat flatMap join lastIndexOf localeCompare matchAll normalize padEnd
    padStart reduceRight replaceAll search sort substr substring trimEnd trimStart toFixed toISOString getTime
    appendChild before after blur click cloneNode closest contains createElement createTextNode dispatchEvent focus getAttribute
    getBoundingClientRect getElementById getElementsByTagName hasAttribute insertBefore matches preventDefault prepend querySelector
    querySelectorAll remove removeAttribute removeChild setAttribute stopPropagation toggle
    abort arrayBuffer blob clone disconnect end formData json observe pause pipe resume setHeader text unobserve
    """.split()
)
