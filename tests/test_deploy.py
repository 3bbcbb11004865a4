"""What people deploy with is checked by the tools that will read it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "maguyva"
KUBERNETES = "1.31"

EVERYTHING: dict[str, Any] = {
    "image": {"repository": "registry.example.com/maguyva", "digest": "sha256:" + "0" * 64},
    "imagePullSecrets": [{"name": "registry"}],
    "store": {"url": "s3://bucket/maguyva", "existingSecret": "bucket"},
    "settings": {"MAGUYVA_GITHUB_URL": "https://github.example.com"},
    "worker": {"storageClassName": "fast"},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls", "annotations": {"a": "b"}},
    "networkPolicy": {"from": {"kubernetes.io/metadata.name": "ingress"}},
    "autoscaling": {"enabled": True},
    "serviceMonitor": {"enabled": True},
    "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn"}},
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
}
OF_OTHERS = {"keda.sh/v1alpha1", "monitoring.coreos.com/v1"}  # described by those who install them


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def manifests(values: dict[str, Any]) -> list[dict[str, Any]]:
    rendered = helm_python.Chart.load(str(CHART)).render(values, name="shop", namespace="tools")
    return [one for path, text in sorted(rendered.items()) if path.endswith(".yaml") for one in yaml.safe_load_all(text) if one]


@pytest.mark.parametrize("values", [{}, EVERYTHING], ids=["as it comes", "everything on"])
def test_every_manifest_of_the_chart_is_one_that_kubernetes_takes(values: dict[str, Any]) -> None:
    made = manifests(values)

    for manifest in made:
        if manifest["apiVersion"] not in OF_OTHERS:
            kubernetes_validate.validate(manifest, KUBERNETES, strict=True)
    kinds = {one["kind"] for one in made}
    assert kinds >= {"Deployment", "StatefulSet", "Service", "NetworkPolicy", "ServiceAccount", "ConfigMap", "PodDisruptionBudget"}
    assert ("ScaledObject" in kinds) == bool(values)


def test_helm_finds_nothing_to_say_of_the_chart() -> None:
    found = helm_python.lint(str(CHART), EVERYTHING, strict=True)

    assert [one for one in found["messages"] if one["severity"] > 1] == [] and found["errors"] in ([], None)


@pytest.mark.parametrize(
    "values",
    [{"worker": {"replicas": "two"}}, {"store": {"url": "http://bucket"}}, {"settings": {"PASSWORD": "x"}}, {"wroker": {}}],
    ids=["a word for a number", "a store that is no bucket", "a setting that is none of ours", "a key with a typo"],
)
def test_values_that_make_no_sense_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(helm_python.HelmValuesError):
        helm_python.Chart.load(str(CHART)).validate_schema(values)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_pods_run_without_root_on_a_read_only_root(kind: str) -> None:
    (made,) = [one for one in manifests({}) if one["kind"] == kind]
    pod = made["spec"]["template"]["spec"]

    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    for container in pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys()


def test_no_credential_stands_in_a_manifest() -> None:
    for made in manifests(EVERYTHING):
        for container in made.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            named = {one["name"]: one for one in container["env"]}
            assert all("value" not in named[name] for name in ("MAGUYVA_APP_ID", "MAGUYVA_DATABASE_URL"))


@pytest.mark.parametrize("name", ["compose.yaml", "compose.credentials.yaml"])
def test_the_compose_files_are_some(name: str) -> None:
    done = subprocess.run(
        [tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(DEPLOY / name)], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout


def test_a_first_start_needs_no_credentials_of_an_app() -> None:
    """What the steps make before `docker compose up` is all that it reads; /setup keeps the rest in the volume."""
    made = set(re.findall(r"> ([a-z-]+)(?: &&|\))", (DEPLOY / "README.md").read_text("utf-8")))

    needed = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    later = yaml.safe_load((DEPLOY / "compose.credentials.yaml").read_text("utf-8"))

    assert {Path(one["file"]).name for one in needed["secrets"].values()} == made == {"postgres-password", "database-url"}
    assert {Path(one["file"]).name for one in later["secrets"].values()} == {"private-key.pem", "webhook-secret"}
    assert "LoadCredential" not in (DEPLOY / "maguyva.service").read_text("utf-8")


def test_an_administrators_command_is_run_as_the_service_is() -> None:
    """With another user or folder it would look at another installation, or leave files that the service can't read."""
    told = dict(re.findall(r"^(\w+)=(.*)$", (DEPLOY / "maguyva.service").read_text("utf-8"), re.M))
    script = (DEPLOY / "maguyva-admin").read_text("utf-8")

    given = dict(re.findall(r"--property=(\w+)=(\S+)", script))
    same = ("DynamicUser", "User", "StateDirectory", "EnvironmentFile", "UMask")
    assert {name: given[name] for name in same} == {name: told[name] for name in same}
    assert "--setenv=MAGUYVA_DATA=/var/lib/maguyva" in script and "MAGUYVA_DATA=/var/lib/maguyva" in told["Environment"]
    credentials = (DEPLOY / "maguyva.credentials.conf").read_text("utf-8")
    assert set(re.findall(r"LoadCredential=(\S+)", script)) == set(re.findall(r"^LoadCredential=(\S+)", credentials, re.M))


def test_the_dockerfile_has_no_fault_that_its_linter_knows() -> None:
    # Versions of Debian's packages (DL3008) are those of the base image's release: pinned ones vanish with the next security fix.
    done = subprocess.run([tool("hadolint"), "--ignore", "DL3008", str(DEPLOY / "Dockerfile")], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["action", "compile", "serve", "voyage"])
def test_every_package_that_is_deployed_is_pinned_by_hash_as_the_developers_have_it(name: str) -> None:
    def pins(path: Path) -> set[str]:
        return {line.split(" ")[0] for line in path.read_text("utf-8").splitlines() if "==" in line and not line.startswith((" ", "#"))}

    text = (DEPLOY / f"constraints-{name}.txt").read_text("utf-8")

    assert pins(DEPLOY / f"constraints-{name}.txt") <= pins(ROOT / "constraints.txt")
    assert "--hash=sha256:" in text and "://" not in text
