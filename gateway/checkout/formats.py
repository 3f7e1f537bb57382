"""How the pages tell a wait."""


def waiting(seconds: int) -> str:
    """A whole number of minutes, rounded up, or of seconds below one: what to tell somebody who must wait."""
    if seconds < 60:
        return f"{seconds} segundo{'s' if seconds != 1 else ''}"
    minutes = -(-seconds // 60)
    return f"{minutes} minuto{'s' if minutes != 1 else ''}"
