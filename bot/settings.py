"""The environment -> where things are, and how the service is set up. No other file reads it."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bot.errors import SettingsError

PREFIX = "MAGUYVA_"
MOST_SECRET_BYTES = 64 << 10  # of a file that holds a key


def index_home(environment: Mapping[str, str], chosen: str = "") -> Path:
    """Where indexes are kept: `chosen` (--index), else MAGUYVA_HOME, else `maguyva` in the user's cache folder. Never in the analysed
    repository. A relative XDG_CACHE_HOME is ignored, as the XDG specification asks."""
    if chosen or environment.get("MAGUYVA_HOME"):
        return Path(chosen or environment["MAGUYVA_HOME"]).expanduser().absolute()
    cache = Path(environment.get("XDG_CACHE_HOME", ""))
    return (cache if cache.is_absolute() else Path(environment.get("HOME") or "/tmp", ".cache")) / "maguyva"


def wants_color(environment: Mapping[str, str], is_terminal: bool, refused: bool = False) -> bool:
    """--no-color, then NO_COLOR and FORCE_COLOR (any value that is not empty), then whether it is a terminal that knows colors."""
    if refused or environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (is_terminal and environment.get("TERM") != "dumb")


# ---- the service


@dataclass(frozen=True, slots=True)
class GitHubHosts:
    """One address of a GitHub -> all of them. `https://github.com`, or that of an Enterprise Server."""

    web: str  # https://github.com
    api: str  # https://api.github.com, https://HOST/api/v3
    graphql: str  # https://api.github.com/graphql, https://HOST/api/graphql

    @classmethod
    def of(cls, url: str) -> GitHubHosts:
        """Raises ValueError with what is wrong. Plain http is taken only for this machine itself."""
        parts = urlsplit(url if "//" in url else f"https://{url}")
        host = parts.hostname or ""
        try:
            parts.port  # noqa: B018  a port that is no number raises here
        except ValueError:
            host = ""
        if not host or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("is not the address of a GitHub: give it as https://github.com or https://github.example.com")
        if parts.scheme != "https" and not (parts.scheme == "http" and is_this_machine(host)):
            raise ValueError("must begin with https://")
        web = f"{parts.scheme}://{parts.netloc.lower()}"
        if host == "github.com":
            return cls(web, "https://api.github.com", "https://api.github.com/graphql")
        if host.endswith(".ghe.com"):  # GitHub Enterprise Cloud with data residency
            return cls(web, f"{parts.scheme}://api.{host}", f"{parts.scheme}://api.{host}/graphql")
        return cls(web, f"{web}/api/v3", f"{web}/api/graphql")


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What makes us this App and nobody else."""

    id: str  # the App's id, or its client id
    private_key: str = field(repr=False)  # PEM
    webhook_secrets: tuple[str, ...] = field(repr=False)  # any of them signs; several while one replaces another


@dataclass(frozen=True, slots=True)
class VoyageSettings:
    api_key: str = field(repr=False)
    url: str = "https://api.voyageai.com"
    model: str = "voyage-code-3"
    rerank: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the service is told from outside, checked together. `FIELDS` says where each part comes from."""

    github: GitHubHosts
    app: AppCredentials | None  # None: nothing is set yet, so /setup offers to create the App
    home: Path  # indexes, clones, the queue of a service on one machine
    database_url: str = field(repr=False)  # sqlite:///… or postgresql://…
    store_url: str = ""  # s3://bucket/prefix; "": the folder alone
    executor: str = ""  # "": the machine's own name
    public_url: str = ""  # where GitHub and people reach this service; "": not known
    host: str = "127.0.0.1"
    port: int = 8080
    parsers: int = 0  # parse processes; 0: one a core
    drafts: bool = False
    fail_on: str = "never"
    who_may_ask: str = "write"
    clone_space: int = 20 << 30  # bytes
    keep_days: int = 30
    log_level: str = "info"
    log_format: str = "json"
    voyage: VoyageSettings | None = None

    @property
    def clones(self) -> Path:
        """The folder of the bare clones, one a repository id."""
        return self.home / "clones"

    @property
    def app_file(self) -> Path:
        """Where /setup writes the credentials of the App it made."""
        return self.home / "app.pem"


# ---- how a text of the environment becomes a value. Each raises ValueError with what is wrong


def is_this_machine(host: str) -> bool:
    """`localhost` or a loopback address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in allowed:
            raise ValueError(f"must be {', '.join(allowed[:-1])} or {allowed[-1]}")
        return text.lower()

    return read


def _number(least: int, most: int, unit: int = 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least:,} to {most:,}")
        return int(text) * unit

    return read


def _yes_or_no(text: str) -> bool:
    known = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}
    if text.lower() not in known:
        raise ValueError("must be yes or no")
    return known[text.lower()]


def _folder(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _database(text: str) -> str:
    if not re.match(r"(sqlite:///|postgres(ql)?://)\S+\Z", text):
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return text


def _store(text: str) -> str:
    if not re.match(r"(s3://[a-z0-9]|file:///)\S*\Z", text):
        raise ValueError("must begin with s3://BUCKET or file:///")
    return text


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be an address such as https://maguyva.example.com")
    return text.rstrip("/")


def _listen(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 <= int(port) <= 65_535 or not re.fullmatch(r"\[[0-9a-fA-F:.]+\]|[\w.-]+", host):
        raise ValueError("must be an address and a port, such as 127.0.0.1:8080")
    return host.strip("[]"), int(port)


def _executor(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", text):
        raise ValueError("must be letters, digits, dots and dashes, at most 63")
    return text


def _app_id(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,12}|Iv[0-9A-Za-z.]{4,40}", text):
        raise ValueError("must be the number (or the client id) that GitHub shows on the App's page")
    return text


def _private_key(text: str) -> str:
    pem = text.replace("\\n", "\n").strip() + "\n"  # one line with \n in it, as many secret stores want
    if not re.match(r"-----BEGIN (RSA )?PRIVATE KEY-----\n[A-Za-z0-9+/=\s]+-----END (RSA )?PRIVATE KEY-----\n\Z", pem):
        raise ValueError("must be the .pem file that GitHub made for the App, from BEGIN to END")
    return pem


def _secrets(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.split()))
    if any(len(secret) < 16 for secret in found):
        raise ValueError("must have at least 16 characters: make one with `openssl rand -hex 32`")
    return found


def _plain(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be printable characters on one line")
    return text


@dataclass(frozen=True, slots=True)
class Field:
    """One variable. `deploy/env.example` and `docs/configuration.md` are made from these rows."""

    name: str  # of the variable, without MAGUYVA_
    read: Callable[[str], Any]
    default: Any  # the value without the variable
    shown: str  # the default as people read it
    about: str
    example: str = ""
    secret: bool = False  # may also come from the file that NAME_FILE names


FIELDS = (
    Field(
        "GITHUB_URL",
        GitHubHosts.of,
        "https://github.com",
        "https://github.com",
        "Which GitHub: for Enterprise Server, its address.",
        "https://github.example.com",
    ),
    Field(
        "APP_ID",
        _app_id,
        "",
        "none",
        "The App's id. Without id, key and secret, the service offers to create the App on `/setup`.",
        "123456",
    ),
    Field("PRIVATE_KEY", _private_key, "", "none", "The App's private key, as the text of the .pem file.", secret=True),
    Field(
        "WEBHOOK_SECRET",
        _secrets,
        (),
        "none",
        "Signs GitHub's deliveries. While you replace it: the new and the old one, with a space between.",
        secret=True,
    ),
    Field(
        "DATA",
        _folder,
        None,
        "MAGUYVA_HOME, or the user's cache folder",
        "Where indexes, clones and the queue are kept.",
        "/var/lib/maguyva",
    ),
    Field(
        "DATABASE_URL",
        _database,
        "",
        "a file in MAGUYVA_DATA",
        "The queue. Several machines share one PostgreSQL.",
        "postgresql://maguyva@db/maguyva",
        secret=True,
    ),
    Field(
        "EXECUTOR", _executor, "", "this machine's name", "What this worker is called among several; the same after a restart.", "maguyva-0"
    ),
    Field(
        "STORE_URL",
        _store,
        "",
        "none",
        "Where indexes are shared between machines; the folder is then a cache of it.",
        "s3://bucket/maguyva",
    ),
    Field(
        "PUBLIC_URL",
        _address,
        "",
        "none",
        "Where GitHub reaches this service: `/setup` needs it.",
        "https://maguyva.example.com",
    ),
    Field("LISTEN", _listen, ("127.0.0.1", 8080), "127.0.0.1:8080", "Address and port to listen on.", "0.0.0.0:8080"),
    Field("PARSERS", _number(0, 256), 0, "0", "How many processes read source files; 0: one a core."),
    Field("DRAFTS", _yes_or_no, False, "no", "Whether draft pull requests are looked at before they are ready."),
    Field(
        "FAIL_ON",
        _one_of("never", "breaks"),
        "never",
        "never",
        "When checks fail: where a use is proved to break, or never but where the repository's own settings say so.",
    ),
    Field(
        "WHO_MAY_ASK",
        _one_of("read", "write"),
        "write",
        "write",
        "The permission that `/maguyva` commands need in public repositories. In private ones it is read. Accepting a break takes write.",
    ),
    Field("CLONE_SPACE", _number(1, 100_000, 1 << 30), 20 << 30, "20", "Gigabytes for clones; the least recently used go first."),
    Field(
        "KEEP_DAYS",
        _number(1, 3_650),
        30,
        "30",
        "Days that finished work stays visible on the status page, and that the shared store keeps an index nobody made again.",
    ),
    Field("LOG_LEVEL", _one_of("debug", "info", "warning", "error"), "info", "info", "How much is logged."),
    Field("LOG_FORMAT", _one_of("json", "text"), "json", "json", "One JSON object a line, or text for people."),
    Field(
        "VOYAGE_API_KEY",
        _plain,
        "",
        "none",
        "With a key, the code of repositories that ask for Voyage's model is sent there. Without, nothing leaves.",
        secret=True,
    ),
    Field(
        "VOYAGE_URL",
        _address,
        "https://api.voyageai.com",
        "https://api.voyageai.com",
        "Voyage's address, or that of something that speaks like it.",
    ),
    Field("VOYAGE_MODEL", _plain, "voyage-code-3", "voyage-code-3", "Voyage's model."),
    Field("VOYAGE_RERANK", _yes_or_no, False, "no", "Whether Voyage's reranker puts the first fifty results of a question in order."),
)


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The environment, and the files it names -> the settings. Raises one SettingsError that names every problem; it never shows a secret.
    Values that are empty count as not set. Credentials that /setup saved are used where none are set."""
    problems: list[str] = []
    values = {one.name: _value(one, environment, problems) for one in FIELDS}
    problems += _misspelt(environment)
    home = values["DATA"] or index_home(environment)
    app = _credentials(values, home, problems)
    github = GitHubHosts.of(values["GITHUB_URL"]) if isinstance(values["GITHUB_URL"], str) else values["GITHUB_URL"]
    if problems:
        raise SettingsError(problems)
    return Settings(
        github=github,
        app=app,
        home=home,
        database_url=values["DATABASE_URL"] or f"sqlite:///{home / 'queue.sqlite'}",
        store_url=values["STORE_URL"],
        executor=values["EXECUTOR"],
        public_url=values["PUBLIC_URL"],
        host=values["LISTEN"][0],
        port=values["LISTEN"][1],
        parsers=values["PARSERS"],
        drafts=values["DRAFTS"],
        fail_on=values["FAIL_ON"],
        who_may_ask=values["WHO_MAY_ASK"],
        clone_space=values["CLONE_SPACE"],
        keep_days=values["KEEP_DAYS"],
        log_level=values["LOG_LEVEL"],
        log_format=values["LOG_FORMAT"],
        voyage=_voyage(values),
    )


def read_voyage(environment: Mapping[str, str]) -> VoyageSettings | None:
    """The same settings for the command line, which needs no others. None without a key. Raises SettingsError."""
    problems: list[str] = []
    values = {one.name: _value(one, environment, problems) for one in FIELDS if one.name.startswith("VOYAGE_")}
    if problems:
        raise SettingsError(problems)
    return _voyage(values)


def _voyage(values: Mapping[str, Any]) -> VoyageSettings | None:
    key = values["VOYAGE_API_KEY"]
    return VoyageSettings(key, values["VOYAGE_URL"], values["VOYAGE_MODEL"], values["VOYAGE_RERANK"]) if key else None


def _misspelt(environment: Mapping[str, str]) -> list[str]:
    """Names that are nearly one of ours. Others that begin with MAGUYVA_ are not ours to judge: Kubernetes makes MAGUYVA_PORT and
    MAGUYVA_SERVICE_HOST for a Service called maguyva."""
    known = [PREFIX + one.name for one in FIELDS] + [f"{PREFIX}{one.name}_FILE" for one in FIELDS if one.secret]
    found = []
    for name in sorted(environment):
        near = get_close_matches(name, known, n=1, cutoff=0.88) if name.startswith(PREFIX) and name not in known else []
        found += [f"{name} is not a setting: did you mean {near[0]}?" for _ in near[:1]]
    return found


def _value(one: Field, environment: Mapping[str, str], problems: list[str]) -> Any:
    name = PREFIX + one.name
    text, source = environment.get(name, "").strip(), name
    file = environment.get(f"{name}_FILE", "").strip() if one.secret else ""
    if text and file:
        problems.append(f"{name} and {name}_FILE are both set: keep one.")
        return one.default
    if file:
        source = f"{name}_FILE"
        try:
            text = _read_secret(Path(file).expanduser()).strip()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            problems.append(f"{source}: {file} cannot be read ({reason}).")
            return one.default
    if not text:
        if file:
            problems.append(f"{source}: {file} is empty.")
        return one.default
    try:
        return one.read(text)
    except ValueError as error:
        problems.append(f"{source} {error}.")
        return one.default


def _read_secret(path: Path) -> str:
    with path.open("rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not a file")
        raw = file.read(MOST_SECRET_BYTES + 1)
    if len(raw) > MOST_SECRET_BYTES:
        raise ValueError("it is too large for a secret")
    return raw.decode("ascii")


# ---- the App's credentials


_PARTS = ("APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET")


def _credentials(values: Mapping[str, Any], home: Path, problems: list[str]) -> AppCredentials | None:
    given = [name for name in _PARTS if values[name]]
    if len(given) == len(_PARTS):
        return AppCredentials(values["APP_ID"], values["PRIVATE_KEY"], values["WEBHOOK_SECRET"])
    if given:
        wrong = " ".join(problems)
        problems += [
            f"{PREFIX}{name} is missing: id, key and secret of the App go together."
            for name in _PARTS
            if name not in given and name not in wrong
        ]
        return None
    if any(f"{PREFIX}{name}" in problem for name in _PARTS for problem in problems):
        return None
    return _saved_credentials(home / "app.pem", problems)


def _saved_credentials(file: Path, problems: list[str]) -> AppCredentials | None:
    try:
        text = _read_secret(file)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        problems.append(f"{file} cannot be read ({error}).")
        return None
    told = dict(re.findall(r"^# ([a-z-]+): (\S+)$", text, re.M))
    try:
        secrets = _secrets(told.get("webhook-secret", ""))
        if not secrets:
            raise ValueError("the secret is missing")
        return AppCredentials(_app_id(told.get("app-id", "")), _private_key(text[text.index("-----BEGIN") :]), secrets)
    except ValueError:
        problems.append(f"{file} is not what /setup wrote: remove it and create the App anew, or set {PREFIX}APP_ID and the others.")
        return None


def save_credentials(file: Path, app: AppCredentials) -> None:
    """Writes what /setup was given, readable by this user alone. Raises FileExistsError rather than write over other credentials."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = f"# app-id: {app.id}\n# webhook-secret: {app.webhook_secrets[0]}\n{app.private_key}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        written.write(text)
        written.flush()
        os.fsync(written.fileno())


def secrets_of(settings: Settings) -> list[str]:
    """All that no line of the log may contain."""
    found = [settings.voyage.api_key] if settings.voyage is not None else []
    if settings.app is not None:
        found += [settings.app.private_key, *settings.app.webhook_secrets]
    return found
