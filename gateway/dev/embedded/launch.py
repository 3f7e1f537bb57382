"""Become another program, as another user if asked, that dies with its parent.

    python -I -S launch.py PARENT_PID DEATH_SIGNAL UID GID PROGRAM [ARGUMENT…]

UID and GID are -1 for "as I am". PROGRAM is an absolute path. It is a program of its own, run by path, because the
other way (a `preexec_fn`) forks a threaded interpreter, which may deadlock and which Python 3.12 warns about.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, death_signal: int, uid: int, gid: int, command: list[str]) -> None:
    if uid >= 0:
        _become(uid, gid)
    _die_with(parent, death_signal)
    os.execv(command[0], command)  # noqa: S606  # The command line is the gateway's own; no shell is wanted.


def _become(uid: int, gid: int) -> None:
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def _die_with(parent: int, death_signal: int) -> None:
    """Linux sends `death_signal` when the parent ends, however it ends. Elsewhere the next start clears up.

    It comes after the change of user, which resets the request, and before a look at the parent, which may have ended
    in between.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the parent has already ended")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
