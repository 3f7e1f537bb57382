"""Execute a program that ends with its parent, as another user if UID and GID are not -1.

    python -I -S launch.py PARENT_PID DEATH_SIGNAL UID GID PROGRAM [ARGUMENT…]

It is a script, because a `preexec_fn` forks a threaded interpreter, which may deadlock.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, death_signal: int, uid: int, gid: int, command: list[str]) -> None:
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    set_parent_death_signal(parent, death_signal)
    os.execv(command[0], command)  # noqa: S606  # The command line is the gateway's own; no shell is wanted.


def set_parent_death_signal(parent: int, death_signal: int) -> None:
    """Have Linux send `death_signal` when the parent ends. Elsewhere the next start stops orphans.

    A change of user resets it, so it comes after that. The parent may have ended before it, which is checked.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the parent has already ended")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
