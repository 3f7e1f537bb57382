"""Bring the browser builds of GraphiQL and React into the package, from pinned npm releases.

    python scripts/vendor_graphiql.py

`npm pack` fetches each release from the registry that npm is configured for; the tarball counts only when its sha512 is
the one pinned here. The files land in `gateway/schema/graphiql/assets/vendor/` with their licences and a
`manifest.json` (package, version, integrity, sha256 of each file) that a test compares with what is committed.

React stays at 18: 19 publishes no UMD build, and GraphiQL 5 none either.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "gateway" / "schema" / "graphiql" / "assets" / "vendor"
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")


@dataclass(frozen=True)
class Release:
    """One npm release: `files` maps a path inside the package to the name it gets here."""

    package: str
    version: str
    integrity: str
    files: dict[str, str]


RELEASES = (
    Release(
        "graphiql",
        "4.1.2",
        "sha512-rNlzQIAzm6i2KBXmVQWBgLvt0TloxFVB2d18bukvdsvjEuFDHsKx5IVOomL1W1o5WW+tE54+ioHb2AEKzO2cUg==",
        {
            "graphiql.min.js": "graphiql.min.js",
            "graphiql.min.css": "graphiql.min.css",
            "LICENSE": "license.graphiql.txt",
        },
    ),
    Release(
        "react",
        "18.3.1",
        "sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==",
        {"umd/react.production.min.js": "react.production.min.js", "LICENSE": "license.react.txt"},
    ),
    Release(
        "react-dom",
        "18.3.1",
        "sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==",
        {"umd/react-dom.production.min.js": "react-dom.production.min.js", "LICENSE": "license.react-dom.txt"},
    ),
)


def main() -> None:
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    manifest = [vendor(release) for release in RELEASES]
    (VENDOR / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def vendor(release: Release) -> dict[str, object]:
    """Fetch, check and extract one release; return its entry in the manifest."""
    with tempfile.TemporaryDirectory() as folder:
        tarball = fetch(release, Path(folder))
        check(release, tarball)
        hashes = {name: extract(tarball, path, VENDOR / name) for path, name in release.files.items()}
    return {
        "package": release.package,
        "version": release.version,
        "integrity": release.integrity,
        "sha256": hashes,
    }


def fetch(release: Release, folder: Path) -> Path:
    """The tarball of a release, as npm packs it."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to fetch the releases")
    spec = f"{release.package}@{release.version}"
    command = [npm, "pack", spec, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.tgz"))


def check(release: Release, tarball: Path) -> None:
    """Refuse a tarball whose digest is not the pinned one."""
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != release.integrity:
        raise SystemExit(f"{release.package}@{release.version}: integrity is sha512-{digest}, not {release.integrity}")


def extract(tarball: Path, path: str, target: Path) -> str:
    """Write one file of the package to `target`; return its sha256."""
    with tarfile.open(tarball) as archive:
        member = archive.extractfile(f"package/{path}")
        if member is None:
            raise SystemExit(f"{path} is not a file of {tarball.name}")
        content = trim(member.read(), target.suffix)
    target.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def trim(content: bytes, suffix: str) -> bytes:
    """The content without fonts and source maps.

    The style sheet embeds 360 kB of fonts; the page uses the system's. Source map comments are removed too, because
    developer tools would request the maps.
    """
    if suffix == ".css":
        return FONT_FACE.sub("", content.decode()).encode()
    if suffix == ".js":
        return re.sub(rb"\n//# sourceMappingURL=.*\s*$", b"\n", content)
    return content


if __name__ == "__main__":
    main()
