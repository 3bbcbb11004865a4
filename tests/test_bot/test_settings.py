"""The environment -> settings: everything wrong is named at once, nothing secret is shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import FIELDS, PREFIX, AppCredentials, GitHubHosts, index_home, read_settings, save_credentials
from github.simulator import key_pair
from support.pages import ROOT, env_example

KEY = key_pair()[0]
SECRET = "a-secret-of-sixteen-or-more"
APP = {"MAGUYVA_APP_ID": "123", "MAGUYVA_PRIVATE_KEY": KEY, "MAGUYVA_WEBHOOK_SECRET": SECRET}


def problems(environment: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    return list(caught.value.problems)


def test_the_apps_credentials_are_enough(tmp_path: Path) -> None:
    found = read_settings({**APP, "HOME": str(tmp_path)})

    assert found.app == AppCredentials("123", KEY, (SECRET,))
    assert found.home == index_home({"HOME": str(tmp_path)})
    assert found.database_url == f"sqlite:///{found.home / 'queue.sqlite'}"
    assert (found.github.api, found.host, found.port, found.fail_on, found.voyage) == (
        "https://api.github.com",
        "127.0.0.1",
        8080,
        "never",
        None,
    )


def test_everything_can_be_set(tmp_path: Path) -> None:
    found = read_settings(
        APP
        | {
            "MAGUYVA_GITHUB_URL": "github.example.com",
            "MAGUYVA_DATA": str(tmp_path),
            "MAGUYVA_DATABASE_URL": "postgresql://maguyva@db/maguyva",
            "MAGUYVA_STORE_URL": "s3://bucket/prefix",
            "MAGUYVA_EXECUTOR": "maguyva-0",
            "MAGUYVA_PUBLIC_URL": "https://maguyva.example.com/",
            "MAGUYVA_LISTEN": "[::1]:9000",
            "MAGUYVA_PARSERS": "3",
            "MAGUYVA_DRAFTS": "Yes",
            "MAGUYVA_FAIL_ON": "breaks",
            "MAGUYVA_WHO_MAY_ASK": "read",
            "MAGUYVA_CLONE_SPACE": "2",
            "MAGUYVA_KEEP_DAYS": "7",
            "MAGUYVA_LOG_LEVEL": "DEBUG",
            "MAGUYVA_LOG_FORMAT": "text",
            "MAGUYVA_VOYAGE_API_KEY": "pa-123",
        }
    )

    assert found.github.api == "https://github.example.com/api/v3"
    assert (found.host, found.port, found.parsers, found.drafts, found.clone_space) == ("::1", 9000, 3, True, 2 << 30)
    assert (found.public_url, found.fail_on, found.who_may_ask, found.keep_days) == ("https://maguyva.example.com", "breaks", "read", 7)
    assert found.voyage is not None and found.voyage.model == "voyage-code-3"


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    found = problems(
        {
            "HOME": str(tmp_path),
            "MAGUYVA_GITHUB_URL": "http://github.example.com",
            "MAGUYVA_APP_ID": "one two",
            "MAGUYVA_PRIVATE_KEY": "hunter2",
            "MAGUYVA_DATABASE_URL": "mysql://x",
            "MAGUYVA_STORE_URL": "gs://x",
            "MAGUYVA_LISTEN": "8080",
            "MAGUYVA_PARSERS": "-1",
            "MAGUYVA_DRAFTS": "perhaps",
            "MAGUYVA_FAIL_ON": "everything",
            "MAGUYVA_PUBLIC_URL": "ftp://x",
            "MAGUYVA_WEBHOOK_SECRETS": SECRET,
        }
    )

    names = ["GITHUB_URL", "APP_ID", "PRIVATE_KEY", "DATABASE_URL", "STORE_URL", "LISTEN", "PARSERS", "DRAFTS", "FAIL_ON", "PUBLIC_URL"]
    assert all(any(one.startswith(f"MAGUYVA_{name} ") for one in found) for name in names), found
    assert "MAGUYVA_WEBHOOK_SECRETS is not a setting: did you mean MAGUYVA_WEBHOOK_SECRET?" in found
    assert all(one.endswith((".", "?")) for one in found)
    assert not any("hunter2" in one for one in found)


@pytest.mark.parametrize("missing", list(APP))
def test_half_an_app_is_none(tmp_path: Path, missing: str) -> None:
    found = problems({"HOME": str(tmp_path)} | {name: value for name, value in APP.items() if name != missing})

    assert found == [f"{missing} is missing: id, key and secret of the App go together."]


def test_without_an_app_the_service_can_begin(tmp_path: Path) -> None:
    assert read_settings({"HOME": str(tmp_path)}).app is None


def test_what_setup_saved_is_used_and_readable_by_this_user_alone(tmp_path: Path) -> None:
    app = AppCredentials("123", KEY, (SECRET,))
    settings = read_settings({"MAGUYVA_DATA": str(tmp_path / "data")})

    save_credentials(settings.app_file, app)

    assert read_settings({"MAGUYVA_DATA": str(tmp_path / "data")}).app == app
    assert settings.app_file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        save_credentials(settings.app_file, app)
    (tmp_path / "data" / "app.pem").write_text("# app-id: 1\nnothing else\n")
    assert "is not what /setup wrote" in problems({"MAGUYVA_DATA": str(tmp_path / "data")})[0]


def test_secrets_can_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "secret").write_text(SECRET + "\n")
    files = {"MAGUYVA_PRIVATE_KEY_FILE": str(tmp_path / "key"), "MAGUYVA_WEBHOOK_SECRET_FILE": str(tmp_path / "secret")}

    found = read_settings({"MAGUYVA_APP_ID": "Iv23liAbCdEf", "HOME": str(tmp_path), **files})

    assert found.app == AppCredentials("Iv23liAbCdEf", KEY, (SECRET,))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(b"x" * 100_000)
    for name, says in (("none", "cannot be read"), ("empty", "is empty"), ("large", "too large"), (".", "cannot be read")):
        found = problems({**APP, "MAGUYVA_VOYAGE_API_KEY_FILE": str(tmp_path / name)})
        assert len(found) == 1 and says in found[0] and found[0].startswith("MAGUYVA_VOYAGE_API_KEY_FILE"), found


def test_a_value_and_a_file_are_one_too_many(tmp_path: Path) -> None:
    assert problems({**APP, "MAGUYVA_PRIVATE_KEY_FILE": str(tmp_path)}) == [
        "MAGUYVA_PRIVATE_KEY and MAGUYVA_PRIVATE_KEY_FILE are both set: keep one."
    ]


def test_two_secrets_while_one_replaces_the_other() -> None:
    found = read_settings({**APP, "MAGUYVA_WEBHOOK_SECRET": f"{SECRET}-new {SECRET}"})

    assert found.app is not None and found.app.webhook_secrets == (f"{SECRET}-new", SECRET)
    assert "16 characters" in problems({**APP, "MAGUYVA_WEBHOOK_SECRET": "short"})[0]


def test_a_key_on_one_line_is_a_key() -> None:
    found = read_settings({**APP, "MAGUYVA_PRIVATE_KEY": KEY.replace("\n", "\\n")})

    assert found.app is not None and found.app.private_key == KEY


def test_no_secret_is_shown() -> None:
    settings = read_settings({**APP, "MAGUYVA_VOYAGE_API_KEY": "pa-123", "MAGUYVA_DATABASE_URL": "postgresql://u:hunter2@db/x"})

    assert not [word for word in ("PRIVATE", SECRET, "pa-123", "hunter2") if word in repr(settings)]


def test_what_kubernetes_adds_for_a_service_called_maguyva_is_not_ours() -> None:
    added = {"MAGUYVA_PORT": "tcp://10.0.0.1:80", "MAGUYVA_SERVICE_HOST": "10.0.0.1", "MAGUYVA_PORT_80_TCP_ADDR": "10.0.0.1"}

    assert read_settings({**APP, **added}).port == 8080


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://github.com", "https"),
        ("ftp://github.com", "https"),
        ("https://github.com/acme", "address"),
        ("https://u:p@github.com", "address"),
        ("https://github.com:x", "address"),
        ("https://", "address"),
        ("http://169.254.169.254", "https"),
    ],
)
def test_an_address_that_is_no_githubs(url: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        GitHubHosts.of(url)


def test_plain_http_is_for_this_machine_alone() -> None:
    assert [GitHubHosts.of(url).web for url in ("http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9")] == [
        "http://127.0.0.1:9",
        "http://localhost:9",
        "http://[::1]:9",
    ]


def test_every_field_takes_its_own_example() -> None:
    for one in FIELDS:
        if one.example:
            one.read(one.example)


def test_the_example_of_the_environment_is_what_the_fields_say() -> None:
    path = ROOT / "deploy" / "env.example"

    assert path.read_text("utf-8") == env_example(), "deploy/env.example is out of date: run `make docs`"
    assert all(f"{PREFIX}{one.name}" in path.read_text("utf-8") for one in FIELDS)


def test_this_process_is_not_asked_about_itself() -> None:
    """Only the service reads settings; importing the module does not."""
    assert "MAGUYVA_APP_ID" not in os.environ
