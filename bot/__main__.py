"""Command line -> what was asked for on standard output, and an exit code. `COMMANDS` is the whole of it."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

# Every other import is inside the function that needs it: `maguyva --version` must not wait for numpy.
from index.errors import MaguyvaError
from index.version import VERSION, form

if TYPE_CHECKING:
    from rich.console import Console

    from index.config import ConfigFound
    from index.engine import Engine, Voyage
    from index.impact.nouns import ImpactReport

EXIT_CODES = (
    (0, "done"),
    (1, "done, and it found what --fail-on names"),
    (2, "the command line, a setting or a question is wrong"),
    (3, "git could not give what was asked for: no repository, no such commit, no merge base"),
    (4, "the index could not be written or read"),
    (130, "interrupted"),
)
FOUND, INTERRUPTED = 1, 130
CLOSED = 141  # what a shell shows for a program whose reader went away; nobody is left to read a message

DESCRIPTION = "Says what a change can break, where, and why."


@dataclass(frozen=True)
class Command:
    name: str
    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: tuple[tuple[str, str], ...]  # command line, what it does
    of_a_clone: bool = True  # it looks at a clone on this machine, and takes --repo and the like


def main(arguments: Sequence[str] | None = None) -> int:
    """The words after `maguyva` -> the exit code. What can be expected to fail ends in one sentence, never in a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that has no é gets \xe9, not a traceback
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(arguments)
        code = int(options.run(options))
        sys.stdout.flush()
    except MaguyvaError as error:
        print(f"maguyva: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at its end, and must not complain then.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    return code


def parser() -> argparse.ArgumentParser:
    """The command line that `COMMANDS` describes."""
    top = argparse.ArgumentParser(
        prog="maguyva",
        description=DESCRIPTION,
        epilog=_epilog([example for command in COMMANDS for example in command.examples[:1]]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        one = commands.add_parser(
            command.name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:] + ".",
            epilog=_epilog(command.examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.arguments(one)
        if command.of_a_clone:
            one.add_argument("--repo", default=".", metavar="PATH", help="a clone, bare or not, or a folder in one (default: here)")
            one.add_argument("--index", default="", metavar="PATH", help="where indexes are (default: MAGUYVA_HOME, or ~/.cache/maguyva)")
            one.add_argument("--no-color", action="store_true", help="plain text; so does NO_COLOR")
            one.add_argument("--quiet", action="store_true", help="show no progress")
        one.set_defaults(run=command.run)
    return top


def _epilog(examples: Sequence[tuple[str, str]]) -> str:
    shown = "\n".join(f"  {line}\n      {meaning}" for line, meaning in examples)
    codes = "\n".join(f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES)
    return f"examples:\n{shown}\n\nexit codes:\n{codes}"


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"maguyva {form()}")
        parser.exit()


# ---- impact


def _impact_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "compared",
        nargs="?",
        default="",
        metavar="BASE...HEAD",
        help="what HEAD changed since it left BASE (BASE..HEAD: the two trees); no HEAD: the files on disk; no BASE: the default branch",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, for programs")
    form.add_argument("--markdown", action="store_true", help="as a pull-request comment")
    command.add_argument(
        "--fail-on", choices=["breaks", "never"], help="exit with 1 if any use will break (default: check.fail_on of .maguyva.yml)"
    )
    command.add_argument("--html", metavar="FILE", help="also write a page with tables and a graph to walk through, which works offline")
    command.add_argument("--sarif", metavar="FILE", help="also write what will break as SARIF 2.1.0, for code scanning and editors")
    command.add_argument("--config", metavar="FILE", help="settings to use instead of the .maguyva.yml of BASE")


def _impact(options: argparse.Namespace) -> int:
    config = _config(options.config) if options.config else None
    with _engine(options) as engine:
        report = engine.impact(options.compared, config)
    _write_files(options, report)
    if options.json:
        import json

        from index.impact.as_json import as_json

        print(json.dumps(as_json(report), indent=2, ensure_ascii=False))
    elif options.markdown:
        from bot.rendering.comment import CommentOptions, render_comment

        print(render_comment(report, CommentOptions(engine=VERSION, commands=False)).body, end="")
    else:
        from bot.rendering.terminal import print_report

        print_report(report, _console(options))
    return FOUND if (options.fail_on or report.settings.fail_on) == "breaks" and report.breaks else 0


def _write_files(options: argparse.Namespace, report: ImpactReport) -> None:
    """The forms that go into files. Raises OutputError."""
    if options.html:
        from bot.rendering.comment import CommentOptions
        from bot.rendering.html import render_html

        _write(options.html, render_html(report, CommentOptions(engine=VERSION)))
    if options.sarif:
        import json

        from bot.rendering.sarif import render_sarif

        _write(options.sarif, json.dumps(render_sarif(report, VERSION), indent=2) + "\n")


def _write(path: str, text: str) -> None:
    from index.errors import OutputError

    try:
        with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _config(path: str) -> ConfigFound:
    """The settings of a file on disk. Raises ConfigError, which names everything that is wrong with them."""
    from index.config import MAX_BYTES, read_config
    from index.errors import ConfigError

    try:
        with open(path, "rb") as file:
            found = read_config(file.read(MAX_BYTES + 1), path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    if found.problems:
        lines = [f"{path}{f' line {one.line}' if one.line else ''}: {one.message}" for one in found.problems]
        raise ConfigError("the settings can't be used.\n  " + "\n  ".join(lines))
    return found


# ---- ask


def _ask_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", nargs="+", metavar="QUESTION", help='in English or French; a name, a "text", a /regular expression/')
    command.add_argument("--at", dest="revision", default="", metavar="REV", help="a branch, tag or commit (default: the files on disk)")
    command.add_argument("--preset", default="default", metavar="NAME", help="quick (by meaning), default (three ways) or thorough (four)")
    command.add_argument("--intent", metavar="NAME", help="what is asked, where we get it wrong: find_definition, find_references, ...")
    command.add_argument("--strategy", metavar="NAME", help="direct (one way to look) or weighted_rrf (several, fused)")
    command.add_argument("--path", action="append", default=[], metavar="GLOB", help="look only in these files or folders; may be repeated")
    command.add_argument("--language", action="append", default=[], metavar="NAME", help="look only in this language; may be repeated")
    command.add_argument("--limit", type=int, default=20, metavar="N", help="show at most so many results (default: 20)")
    command.add_argument("--explain", action="store_true", help="say how every result came to its place")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, for programs")
    form.add_argument("--markdown", action="store_true", help="as an answer in a thread")


def _ask(options: argparse.Namespace) -> int:
    with _engine(options) as engine:
        reply = engine.ask(
            " ".join(options.question),
            options.revision,
            preset=options.preset,
            intent=options.intent,
            strategy=options.strategy,
            limit=max(options.limit, 1),
            paths=tuple(options.path),
            languages=tuple(options.language),
        )
    if options.json:
        import json

        from index.answer import as_json

        print(json.dumps(as_json(reply), indent=2, ensure_ascii=False))
    elif options.markdown:
        from bot.rendering.answer import render_answer

        print(render_answer(reply, explain=options.explain), end="")
    else:
        from bot.rendering.answer import print_answer

        print_answer(reply, _console(options), explain=options.explain)
    return 0


# ---- update, export, why


def _revision_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument("revision", nargs="?", default="", metavar="REV", help="a branch, tag or commit (default: the files on disk)")


def _update_arguments(command: argparse.ArgumentParser) -> None:
    _revision_argument(command)
    command.add_argument(
        "--embed",
        choices=("embedded", "voyage"),
        help="which model turns this repository's code into vectors, from now on: the one inside, or Voyage's, which gets the code sent",
    )
    command.add_argument("--yes", action="store_true", help="send the code to Voyage without being asked again")


def _update(options: argparse.Namespace) -> int:
    with _engine(options) as engine:
        if options.embed == "voyage" and not _agreed(engine, options):
            return 1
        if options.embed:
            engine.embed_with(options.embed)
        snapshot = engine.update(options.revision)
        for note in engine.notes:
            print(f"maguyva: {note}", file=sys.stderr)
    edges = len(snapshot.parts["edges"]["source"])
    print(f"{len(snapshot.paths):,} files, {snapshot.symbol_count:,} symbols, {edges:,} edges at {snapshot.commit[:10]}")
    return 0


def _agreed(engine: Engine, options: argparse.Namespace) -> bool:
    """What Voyage's vectors would cost is shown first; a person says yes to it, or `--yes` did. Raises QuestionError without a key."""
    from index.errors import QuestionError

    cost = engine.cost(options.revision)
    if cost is None:
        raise QuestionError("Voyage needs a key: set MAGUYVA_VOYAGE_API_KEY, and install its client with `pip install maguyva[voyage]`.")
    print(cost.words, file=sys.stderr)
    if not cost.missing or options.yes:
        return True
    if not sys.stdin.isatty():
        print("maguyva: nothing was sent: say --yes to send it.", file=sys.stderr)
        return False
    print("Send it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _export_arguments(command: argparse.ArgumentParser) -> None:
    _revision_argument(command)
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("--edges", dest="what", action="store_const", const="edges", help="who uses what, one JSON object a line")
    what.add_argument("--symbols", dest="what", action="store_const", const="symbols", help="what is defined where, one JSON object a line")


def _export(options: argparse.Namespace) -> int:
    with _engine(options) as engine:
        for line in engine.export(options.revision, options.what):
            print(line)
    return 0


def _why_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("source", metavar="A", help="the symbol that is reached: a name, Class.name or path::Class.name")
    command.add_argument("target", metavar="B", help="the symbol it is reached from, written the same way")
    command.add_argument("--at", dest="revision", default="", metavar="REV", help="a branch, tag or commit (default: the files on disk)")


def _why(options: argparse.Namespace) -> int:
    with _engine(options) as engine:
        for line in engine.why(options.source, options.target, options.revision):
            print(line)
    return 0


# ---- the service


def _serve_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--role",
        choices=("all", "web", "worker"),
        default="all",
        help="web only receives deliveries, worker only works on them: both need PostgreSQL (default: all)",
    )
    command.add_argument("--host", default="", metavar="ADDRESS", help="where to listen (default: MAGUYVA_LISTEN, or 127.0.0.1)")
    command.add_argument("--port", type=int, default=-1, metavar="N", help="the port to listen on (default: MAGUYVA_LISTEN, or 8080)")


def _serve(options: argparse.Namespace) -> int:
    with _extra("serve"):
        from bot.serve import serve
    return serve(options, os.environ)


def _no_arguments(command: argparse.ArgumentParser) -> None:
    pass


def _doctor(options: argparse.Namespace) -> int:
    with _extra("serve"):
        from bot.doctor import run
    return run(options, os.environ)


def _jobs_arguments(command: argparse.ArgumentParser) -> None:
    what = command.add_mutually_exclusive_group()
    what.add_argument("--revive", default="", metavar="ID", help="take a job that failed for good up again; `all` of them")
    what.add_argument("--key", action="store_true", help="print the password of the service's page with names")


def _jobs(options: argparse.Namespace) -> int:
    with _extra("serve"):
        from bot.dead_letters import run
    return run(options, os.environ)


@contextmanager
def _extra(name: str) -> Iterator[None]:
    """Packages that only some commands need may be missing: say how to get them."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("bot", "index"):
            raise
        raise MaguyvaError(f"This needs the package {error.name}: install maguyva[{name}].") from error


def _engine(options: argparse.Namespace) -> Engine:
    from bot.rendering.terminal_progress import terminal_progress
    from bot.settings import index_home
    from index.engine import Engine

    progress = terminal_progress(sys.stderr, options.quiet)
    return Engine.open(options.repo, index_home(os.environ, options.index), progress, _voyage())


def _voyage() -> Voyage | None:
    """Voyage, where there is a key. Nothing is sent unless someone chose it for the repository."""
    from bot.settings import read_voyage

    settings = read_voyage(os.environ)
    if settings is None:
        return None
    from index.engine import voyage_with

    return voyage_with(settings.api_key, settings.url, settings.model, rerank=settings.rerank)


def _console(options: argparse.Namespace) -> Console:
    from rich.console import Console

    from bot.settings import wants_color

    color = wants_color(os.environ, sys.stdout.isatty(), options.no_color)
    return Console(file=sys.stdout, no_color=not color, highlight=False, markup=False, emoji=False)


# ---- completion


def _completion_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "zsh", "tcsh"], help="whose language to write it in")


def _completion(options: argparse.Namespace) -> int:
    import shtab

    print(shtab.complete(parser(), options.shell))
    return 0


COMMANDS = (
    Command(
        "impact",
        "what a branch can break, where, and why",
        _impact_arguments,
        _impact,
        (
            ("maguyva impact main...feature", "what merging feature into main can break"),
            ("maguyva impact", "what the files on disk can break, compared with where they left the default branch"),
            ("maguyva impact --repo ../shop v1.2..v1.3 --json", "everything between two releases, for programs"),
            ("maguyva impact main... --fail-on breaks", "for a hook: exit code 1 if a use will break"),
        ),
    ),
    Command(
        "ask",
        "answer a question about the code",
        _ask_arguments,
        _ask,
        (
            ("maguyva ask 'who calls Cart.total?'", "every use that is known, by file, with how sure it is"),
            ("maguyva ask 'how does checkout reach price?'", "the shortest chain of uses between two symbols"),
            ("maguyva ask '\"card declined\"' --path src", 'a literal, exactly as written; "..."i in any case, "..."w whole words'),
            ("maguyva ask '/retry.*limit/' --limit 50", "a regular expression, in linear time"),
            ("maguyva ask 'async functions that catch KeyError'", "code of a shape; a tree-sitter query works too"),
            ("maguyva ask 'comment sont signés les cookies ?' --explain", "by meaning and words, and why each result is there"),
        ),
    ),
    Command(
        "update",
        "index a commit, or the files on disk, ahead of time",
        _update_arguments,
        _update,
        (
            ("maguyva update main", "so that the next impact needs only what changed"),
            ("maguyva update --embed voyage", "says what Voyage's vectors of this code would cost, and asks before it sends anything"),
        ),
    ),
    Command(
        "export",
        "print the index as JSON lines",
        _export_arguments,
        _export,
        (("maguyva export main --edges", "every use that is known, with its place and how sure it is"),),
    ),
    Command(
        "why",
        "show how one symbol is reached from another",
        _why_arguments,
        _why,
        (("maguyva why checkout.pay billing.price", "the shortest path of uses from pay to price"),),
    ),
    Command(
        "completion",
        "print what makes a shell complete our commands",
        _completion_arguments,
        _completion,
        (
            ("maguyva completion bash", "for bash: put it into ~/.local/share/bash-completion/completions/maguyva"),
            ("maguyva completion zsh", "for zsh: put it into a folder of $fpath, as _maguyva"),
        ),
        of_a_clone=False,
    ),
    Command(
        "serve",
        "run the GitHub App",
        _serve_arguments,
        _serve,
        (("maguyva serve", "receive GitHub's deliveries, and comment on pull requests; settings are in the environment"),),
        of_a_clone=False,
    ),
    Command(
        "doctor",
        "check the App's settings, credentials and machine, and say what to do",
        _no_arguments,
        _doctor,
        (("maguyva doctor", "one line a check; exit code 1 where something is wrong"),),
        of_a_clone=False,
    ),
    Command(
        "jobs",
        "show what waits in the App's queue and what failed, and take it up again",
        _jobs_arguments,
        _jobs,
        (
            ("maguyva jobs", "the queues, and every job that failed for good with its reason"),
            ("maguyva jobs --revive all", "when the reason is gone"),
        ),
        of_a_clone=False,
    ),
)


if __name__ == "__main__":
    sys.exit(main())
