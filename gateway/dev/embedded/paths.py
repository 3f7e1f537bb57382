"""Directories of the embedded servers: the data dir, and a short private one for sockets."""

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from gateway.values.user_error import UserError


class EmbeddedError(UserError):
    """An embedded server can't be started. The message says what is wrong and how to fix it."""


class NotInstalled(EmbeddedError):
    """The program of an embedded server isn't installed."""


_SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
_PLAIN = re.compile(r"[A-Za-z0-9._/+-]+")


def open_data_dir(path: Path) -> Path:
    """Create the directory if needed, as private, and resolve its path. Raises `EmbeddedError`."""
    try:
        directory = path.expanduser().resolve()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EmbeddedError(f"the data dir {path} can't be used: {reason}; choose another with --data-dir") from None


def fits_socket(path: Path) -> bool:
    """Whether the path is short enough for a socket, and needs no quoting in a URL, which arq doesn't decode."""
    return len(os.fsencode(path)) <= _SOCKET_PATH_BYTES and bool(_PLAIN.fullmatch(str(path)))


def private_dir(parent: Path, home: Path, *, passable: bool = False) -> Path:
    """A directory under a temp dir, the same for all processes of the server at `home`. If `passable`, other users may
    traverse it, but not list it. A directory of another user is refused.
    """
    path = _private_path(parent, home)
    path.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(path):
        raise EmbeddedError(f"{path} belongs to another user; set TMPDIR to a directory of your own")
    path.chmod(0o711 if passable else 0o700)
    return path


def remove_private_dirs(home: Path) -> None:
    """Remove the directories that `private_dir` made for the server at `home`."""
    for parent in _temp_dirs():
        path = _private_path(parent, home)
        if path.exists() and _is_ours(path):
            shutil.rmtree(path, ignore_errors=True)


def _private_path(parent: Path, home: Path) -> Path:
    return parent / f"pix-gateway-{os.geteuid()}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}"


def _is_ours(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _temp_dirs() -> list[Path]:
    usual = Path(tempfile.gettempdir()).resolve()
    return [usual, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")]  # noqa: S108  # private_dir checks the owner.


def shared_temp_dir() -> Path:
    """A temp dir that another user can reach and execute from. The usual one may be private (pam_tmpdir)."""
    for parent in _temp_dirs():
        if not parent.is_dir():
            continue
        reachable = all(step.stat().st_mode & stat.S_IXOTH for step in (parent, *parent.parents))
        if reachable and os.access(parent, os.W_OK) and not os.statvfs(parent).f_flag & os.ST_NOEXEC:
            return parent
    raise EmbeddedError(
        "no temp dir lets other users run programs; set TMPDIR to one that does, or run as another user"
    )


def socket_dir(socket_name: str, home: Path, *, passable: bool = False) -> Path:
    """The home if a socket fits there, else a private temp directory."""
    if fits_socket(home / socket_name):
        return home
    usual, short = _temp_dirs()[:2]
    for parent in (shared_temp_dir() if passable else usual, short):
        path = private_dir(parent, home, passable=passable)
        if fits_socket(path / socket_name):
            return path
    raise EmbeddedError("no temp dir has a path short enough for a socket; set TMPDIR to a shorter one")
