"""Where the files of an embedded server live: the data dir, and a short private place when a socket needs one."""

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from gateway.dev.embedded.errors import EmbeddedError

_SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
_PLAIN = re.compile(r"[A-Za-z0-9._/+-]+")


def open_data_dir(path: Path) -> Path:
    """The directory as an absolute path without links, made private if new. Raises `EmbeddedError` if unusable."""
    try:
        directory = path.expanduser().resolve()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _prove_writable(directory)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EmbeddedError(f"the data dir {path} can't be used: {reason}; choose another with --data-dir") from None
    return directory


def _prove_writable(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory):
        return


def fits_socket(path: Path) -> bool:
    """Whether a socket can have this path and a URL can carry it without quoting, which arq does not undo."""
    return len(os.fsencode(path)) <= _SOCKET_PATH_BYTES and bool(_PLAIN.fullmatch(str(path)))


def private_dir(parent: Path, home: Path, *, passable: bool = False) -> Path:
    """A directory of ours under a temp dir, found again by every process that knows the server's `home`.

    `passable` lets other users through to what they own inside it, though not list it. Anybody can write to a temp
    dir, so one that is not ours is refused.
    """
    path = _private_path(parent, home)
    path.mkdir(mode=0o700, exist_ok=True)
    if not _ours(path):
        raise EmbeddedError(f"{path} belongs to somebody else; set TMPDIR to a directory of your own")
    path.chmod(0o711 if passable else 0o700)
    return path


def remove_private_dirs(home: Path) -> None:
    """All that `private_dir` made for the server at `home`."""
    for parent in _temp_dirs():
        path = _private_path(parent, home)
        if path.exists() and _ours(path):
            shutil.rmtree(path, ignore_errors=True)


def _private_path(parent: Path, home: Path) -> Path:
    return parent / f"pix-gateway-{os.geteuid()}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}"


def _ours(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _temp_dirs() -> list[Path]:
    usual = Path(tempfile.gettempdir()).resolve()
    return [usual, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")]  # noqa: S108  # private_dir refuses what isn't ours.


def shared_temp_dir() -> Path:
    """A temp dir that another user can reach and run programs from. The usual one may be private (pam_tmpdir)."""
    for parent in _temp_dirs():
        if parent.is_dir() and _reachable(parent) and _runs_programs(parent):
            return parent
    raise EmbeddedError(
        "no temp dir lets other users run programs; set TMPDIR to one that does, or run as another user"
    )


def _reachable(path: Path) -> bool:
    return all(step.stat().st_mode & stat.S_IXOTH for step in (path, *path.parents))


def _runs_programs(path: Path) -> bool:
    return os.access(path, os.W_OK) and not os.statvfs(path).f_flag & os.ST_NOEXEC


def socket_dir(socket_name: str, home: Path, *, passable: bool = False) -> Path:
    """The home if a socket fits there, else a private temp directory where it does."""
    if fits_socket(home / socket_name):
        return home
    usual, short = _temp_dirs()[:2]
    for parent in (shared_temp_dir() if passable else usual, short):
        path = private_dir(parent, home, passable=passable)
        if fits_socket(path / socket_name):
            return path
    raise EmbeddedError("no temp dir has a path short enough for a socket; set TMPDIR to a shorter one")
