"""`deploy/` agrees with the product. These tests start neither containers nor systemd."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from gateway.cli.commands import app
from gateway.integrations.engines.asaas.failures import RefusedAccount
from gateway.integrations.engines.errors import EngineMisconfigured
from gateway.integrations.engines.http_client import Unauthorized
from gateway.models.engines import NotificationOutcome
from gateway.rest_compat.production_documents import MAX_FORM_BYTES
from gateway.rest_compat.routes import ENDPOINTS
from gateway.settings import Settings, load_settings, variables
from gateway.telemetry import REGISTRY
from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"].startswith("pix-gateway")}
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
KNOWN = set(variables())
REQUIRED = {name for name, field in variables().items() if field.is_required()}
FILLED = {"GATEWAY_SECRET_KEY": "k" * 40, "POSTGRES_PASSWORD": "segredo", "PUBLIC_HOST": "pix.example.com"}


def variables(path: Path, *, offered: bool = False) -> dict[str, str]:
    """Return the variables that a file sets; with `offered`, also those in comments."""
    lines = [line.removeprefix("#") if offered else line for line in path.read_text().splitlines()]
    pairs = (line.partition("=") for line in lines if re.match(r"[A-Z][A-Z_0-9]+=", line))
    return {name: value for name, _, value in pairs}


def accepts(words: list[str]) -> None:
    """Raise if the `gateway` command refuses these words. Nothing runs."""
    command: Any = get_command(app)
    while hasattr(command, "commands"):
        assert words, "a command is missing"
        assert words[0] in command.commands, words[0]
        command, words = command.commands[words[0]], words[1:]
    command.make_context("gateway", list(words))


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions in order, with their arguments."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in joined.splitlines() if line.strip()]


def arguments(instruction: str) -> list[str]:
    return [words for name, words in instructions() if name == instruction]


class TestSettings:
    @pytest.mark.parametrize("path", [path for path in DEPLOY.rglob("*") if path.is_file()], ids=lambda path: path.name)
    def test_named_settings_exist(self, path: Path) -> None:
        assert set(re.findall(r"GATEWAY_[A-Z_0-9]+", path.read_text())) - KNOWN == set()

    @pytest.mark.parametrize("name", OURS)
    def test_compose_settings_of_each_process_are_valid(self, name: str) -> None:
        values = {**variables(DEPLOY / "gateway.env.example"), **OURS[name]["environment"]}
        assert OURS[name]["env_file"] == "gateway.env"
        assert set(values) >= REQUIRED
        settings = load_settings(_env_file=None, **_as_settings(values))
        assert (settings.base_url, settings.mail_sender.domain) == ("https://pix.example.com", "pix.example.com")
        assert settings.documents_url == "file:///documents"
        assert "documents:/documents" in OURS[name]["volumes"]

    def test_all_settings_of_the_example_are_valid_together(self) -> None:
        """Includes the commented lines."""
        offered = variables(DEPLOY / "gateway.env.example", offered=True)
        assert set(offered) >= REQUIRED
        secrets = {
            name: "$aact_prod_x" if name.endswith("API_KEY") else "key-" * 10
            for name, value in offered.items()
            if not value
        }
        settings = load_settings(_env_file=None, **_as_settings(offered | secrets))
        assert settings.documents_url == "file:///var/lib/gateway/documents"

    def test_compose_variables_are_in_its_example(self) -> None:
        filled = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
        assert filled == set(variables(DEPLOY / "env.example"))


def _as_settings(values: dict[str, str]) -> dict[str, str]:
    filled = {
        name: re.sub(r"\$\{([A-Z_]+)[^}]*\}", lambda match: FILLED[match[1]], value) for name, value in values.items()
    }
    return {name.removeprefix("GATEWAY_").lower(): value or FILLED[name] for name, value in filled.items()}


class TestCompose:
    def test_redis_evicts_no_key(self) -> None:
        command = SERVICES["redis"]["command"]
        assert (
            command[command.index("--maxmemory-policy") + 1] == "noeviction"
        )  # `gateway doctor` warns about other policies.

    def test_compose_has_all_services(self) -> None:
        assert set(SERVICES) == {"proxy", "api", "worker", "migrate", "postgres", "redis"}
        assert {name: OURS[name].get("deploy", {}).get("replicas", 1) for name in OURS} == {
            "api": 2,
            "worker": 2,
            "migrate": 1,
        }
        for service in SERVICES.values():
            assert re.fullmatch(r"[a-z/-]+:[0-9].*", service["image"]), "named by version"
        assert SERVICES["postgres"]["image"].startswith("postgres:18")

    def test_its_commands_exist(self) -> None:
        for name, service in OURS.items():
            accepts(service["command"])
            assert service["build"] == {"context": "..", "dockerfile": "deploy/Dockerfile"}, name
        assert {service["command"][0] for service in OURS.values()} == {"serve", "worker", "migrate"}

    def test_containers_and_networks_are_restricted(self) -> None:
        for service in OURS.values():
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]
        assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
        assert COMPOSE["networks"]["data"]["internal"] is True
        for name in ("postgres", "redis"):
            assert SERVICES[name]["networks"] == ["data"]
        assert "data" not in SERVICES["proxy"]["networks"]

    def test_migrations_run_before_the_api_and_workers(self) -> None:
        for name in ("api", "worker"):
            assert OURS[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
            assert float(OURS[name]["stop_grace_period"].removesuffix("s")) >= 30
        assert OURS["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
        assert all("healthcheck" in SERVICES[name] for name in ("postgres", "redis", "worker"))
        port = OURS["worker"]["environment"]["GATEWAY_METRICS_PORT"]
        assert f"127.0.0.1:{port}/metrics" in OURS["worker"]["healthcheck"]["test"][-1]
        compile(OURS["worker"]["healthcheck"]["test"][-1], "healthcheck", "exec")

    def test_its_volumes_and_networks_are_declared(self) -> None:
        mounted = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
        named = {volume for volume in mounted if not volume.startswith(".")}
        assert named == set(COMPOSE["volumes"])
        assert {name for service in SERVICES.values() for name in service["networks"]} == set(COMPOSE["networks"])
        assert [(DEPLOY / path).exists() for path in mounted if path.startswith(".")] == [True]

    def test_the_proxy_and_the_api_agree(self) -> None:
        caddyfile = (DEPLOY / "Caddyfile").read_text()
        words = OURS["api"]["command"]
        assert re.search(rf"name api\s+port {words[words.index('--port') + 1]}\b", caddyfile)
        assert "{$PUBLIC_HOST}" in caddyfile
        assert "PUBLIC_HOST" in SERVICES["proxy"]["environment"]
        (megabytes,) = re.findall(r"max_size (\d+)MB", caddyfile)
        assert int(megabytes) * 1_000_000 >= MAX_FORM_BYTES
        (trusted,) = {service["environment"]["GATEWAY_TRUSTED_PROXIES"] for service in OURS.values()}
        (edge,) = COMPOSE["networks"]["edge"]["ipam"]["config"]
        assert ip_network(trusted) == ip_network(edge["subnet"])
        assert caddyfile.count("{") == caddyfile.count("}")


class TestImage:
    def test_copied_files_exist_and_are_in_the_build_context(self) -> None:
        sources = [source for words in arguments("COPY") if "--from" not in words for source in words.split()[:-1]]
        assert set(sources) == {"requirements.lock", "gateway", "LICENSE", "NOTICE"}
        patterns = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
        for source in sources:
            assert (ROOT / source).exists()
            assert f"!{source}" in patterns
        assert patterns[patterns.index("*") - 1].startswith("#"), "everything else is excluded first"
        assert any(fnmatch("gateway/.env", pattern) for pattern in patterns)

    def test_packages_are_installed_by_hash_without_embedded_servers(self) -> None:
        (install,) = [words for words in arguments("RUN") if "pip install" in words]
        assert "--require-hashes" in install
        assert "--only-binary :all:" in install
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        assert len(_locked()) > 30
        assert lock.count("==") <= lock.count("--hash=sha256:")
        for wanted in PROJECT["optional-dependencies"]["embedded"]:
            assert re.split(r"[=<>~]", wanted)[0] not in _locked()

    def test_it_runs_unprivileged_with_a_health_check(self) -> None:
        names = [name for name, _ in instructions()]
        assert arguments("USER") == ["10001:10001"]
        assert names.index("USER") > max(index for index, name in enumerate(names) if name == "RUN")
        (check,) = arguments("HEALTHCHECK")
        (path,) = re.findall(r"127\.0\.0\.1:8000(/[a-z/]+)", check)
        assert path in {endpoint.path for endpoint in ENDPOINTS}
        (code,) = re.findall(r'"(import .*)"\]', check)
        compile(code, "healthcheck", "exec")

    def test_its_python_version_is_supported(self) -> None:
        assert {words.split()[0] for words in arguments("FROM")} == {"${BASE}"}
        (base,) = arguments("ARG")
        version = re.fullmatch(r"BASE=python:(\d+)\.(\d+)-slim-bookworm", base)
        assert version
        assert (int(version[1]), int(version[2])) >= (3, 11)
        assert f'"{version[1]}.{version[2]}"' in (ROOT / ".github/workflows/ci.yml").read_text(), "tested by CI"

    def test_its_entry_point_is_valid(self) -> None:
        assert arguments("ENTRYPOINT") == ['["python", "-m", "gateway"]']
        (words,) = arguments("CMD")
        accepts(yaml.safe_load(words))
        assert arguments("EXPOSE") == ["8000"]

    def test_its_content_is_enough_to_run(self, tmp_path: Path, settings: Settings) -> None:
        """With the copied tree, the locked packages and a read-only folder, all processes can be imported and
        `migrate` finds the schema up to date.
        """
        folder = tmp_path / "read-only"
        folder.mkdir(mode=0o500)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
        own = _REQUIRED | {
            "GATEWAY_DATABASE_URL": settings.database_url,
            "PYTHONPATH": str(ROOT),
            "LOCKED": " ".join(_locked()),
        }
        command = [sys.executable, "-c", _IN_THE_IMAGE]
        result = subprocess.run(command, cwd=folder, env=clean | own, capture_output=True, text=True, check=False)
        assert (result.returncode, list(folder.iterdir())) == (0, []), result.stderr


_IN_THE_IMAGE = """
import importlib.metadata, os, re, sys
locked = set(os.environ["LOCKED"].split())
for module, owners in importlib.metadata.packages_distributions().items():
    if module not in sys.modules and not locked & {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners}:
        sys.modules[module] = None  # Simulates a package that is not installed.
sys.modules.pop("gateway", None)
import gateway.app, gateway.cli.billing, gateway.cli.commands, gateway.cli.context, gateway.doctor, gateway.server.serve, gateway.server.worker
sys.argv = ["gateway", "migrate"]
gateway.cli.commands.main()
"""


def _locked() -> list[str]:
    """Return the names of the locked packages."""
    return re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)


class TestUnits:
    def test_each_process_has_a_unit(self) -> None:
        assert [unit.name for unit in UNITS] == [
            "gateway-api.service",
            "gateway-migrate.service",
            "gateway-worker@.service",
        ]

    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_its_command_exists_and_it_is_restricted(self, unit: Path) -> None:
        lines = unit.read_text().splitlines()
        (start,) = [line.partition("=")[2] for line in lines if line.startswith("ExecStart=")]
        program, *words = shlex.split(start)
        assert Path(program).name in PROJECT["scripts"]
        accepts(words)
        assert {
            "User=gateway",
            "EnvironmentFile=/etc/gateway/gateway.env",
            "NoNewPrivileges=yes",
            "CapabilityBoundingSet=",
            "ProtectSystem=strict",
            "ProtectHome=yes",
            "PrivateTmp=yes",
            "PrivateDevices=yes",
            "SystemCallFilter=@system-service",
        } <= set(lines)
        assert "u gateway " in (DEPLOY / "systemd/gateway.sysusers.conf").read_text()

    def test_each_worker_serves_metrics_on_its_own_port(self) -> None:
        (worker,) = [unit.read_text() for unit in UNITS if "@" in unit.name]
        (port,) = re.findall(r"Environment=GATEWAY_METRICS_PORT=(.*)", worker)
        ports = {
            load_settings(
                _env_file=None, **_as_settings({**_REQUIRED, "GATEWAY_METRICS_PORT": port.replace("%i", i)})
            ).metrics_port
            for i in "19"
        }
        assert ports == {9101, 9109}

    def test_systemd_accepts_the_units(self, tmp_path: Path) -> None:
        analyzer = shutil.which("systemd-analyze") or pytest.skip("no systemd-analyze on this machine")
        installed = Path(sys.executable).parent / "gateway"
        for unit in UNITS:
            text = unit.read_text().replace("/opt/gateway/bin/gateway", str(installed))
            (tmp_path / unit.name.replace("@.", "@1.")).write_text(text)
        units = [str(path) for path in sorted(tmp_path.iterdir())]
        result = subprocess.run([analyzer, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
        # Ignore messages about other units of this machine.
        assert [line for line in (result.stdout + result.stderr).splitlines() if "gateway" in line] == []


_REQUIRED = {
    "GATEWAY_DATABASE_URL": "postgresql://x/y",
    "GATEWAY_REDIS_URL": "redis://x",
    "GATEWAY_SECRET_KEY": "k" * 40,
}


def sampled() -> set[str]:
    """Return the sample names of all metrics."""
    families = {family.name: family.type for family in REGISTRY.collect()}
    return {
        f"{name}{end}"
        for name, kind in families.items()
        for end in {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(kind, ("",))
    }


def test_the_dashboard_uses_existing_metrics() -> None:
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    queried = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"gateway_[a-z_]+", target["expr"])
    }
    assert queried <= sampled()
    displayed = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in queried}
    ours = {family.name for family in REGISTRY.collect() if family.name.startswith("gateway_")}
    excluded = {"gateway_identity_failures", "gateway_mail_oldest_waiting_seconds", "gateway_webhook_attempt_seconds"}
    assert ours - displayed <= excluded, "a new metric belongs on the dashboard"
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_prometheus_scrapes_the_units_ports() -> None:
    config = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text())
    (rules,) = config["rule_files"]
    assert (DEPLOY / rules).exists()
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    (api,) = [unit.read_text() for unit in UNITS if unit.name == "gateway-api.service"]
    (port,) = re.findall(r"--port (\d+)", api)
    assert jobs["gateway-api"]["static_configs"] == [{"targets": [f"127.0.0.1:{port}"]}]
    assert jobs["gateway-worker"]["static_configs"] == [{"targets": ["127.0.0.1:9101", "127.0.0.1:9102"]}]
    assert 'job="gateway-api"' in (DEPLOY / rules).read_text()
    host = (DEPLOY / "Caddyfile.host").read_text()
    assert f"reverse_proxy 127.0.0.1:{port}" in host
    (megabytes,) = re.findall(r"max_size (\d+)MB", host)
    assert int(megabytes) * 1_000_000 >= MAX_FORM_BYTES


def test_alerts_use_existing_metrics() -> None:
    (group,) = yaml.safe_load((DEPLOY / "prometheus-alerts.yaml").read_text())["groups"]
    for rule in group["rules"]:
        assert set(re.findall(r"gateway_[a-z_]+", rule["expr"])) <= sampled(), rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
    expressions = {rule["alert"]: rule["expr"] for rule in group["rules"]}
    not_admitted = set(re.findall(r"\w+", expressions["GatewayEngineNotAdmitted"]))
    assert {Unauthorized.__name__, EngineMisconfigured.__name__} <= not_admitted
    assert f'error="{RefusedAccount.__name__}"' in expressions["GatewayEngineRefusesAccount"]
    assert (
        f'gateway_engine_notifications_total{{outcome="{NotificationOutcome.mismatch}"}}'
        in expressions["GatewayNoticeMismatch"]
    )
    assert "gateway_differences_open" in expressions["GatewayDifferencesOpen"]
