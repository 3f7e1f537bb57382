"""The merchant's panel at `/painel`: one page and the bundle that `make panel` builds from `panel/`."""
