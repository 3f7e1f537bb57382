"""`python -m gateway` is the `gateway` command."""

from gateway.cli.commands import main

if __name__ == "__main__":
    main()
