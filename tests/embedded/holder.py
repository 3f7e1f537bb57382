"""Starts an embedded server, prints its URL and pid, and stops it when standard input closes.

python holder.py postgres|redis DATA_DIR
"""

import json
import sys

from gateway.dev.embedded import EmbeddedPostgres, EmbeddedRedis

KINDS = {"postgres": EmbeddedPostgres, "redis": EmbeddedRedis}

if __name__ == "__main__":
    server = KINDS[sys.argv[1]](sys.argv[2], durable=sys.argv[1] == "redis")
    url = server.start()
    sys.stdout.write(json.dumps({"url": url, "pid": server.pid}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.stop()
