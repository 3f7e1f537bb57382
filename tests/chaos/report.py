"""The table of results, printed at the end and written to a page on request."""

import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


@dataclass(frozen=True)
class Experiment:
    """An experiment of the suite; `quick` ones also run with every test run."""

    number: str
    title: str
    must: str
    quick: bool = False


@dataclass
class Result:
    """The result of one experiment: its figures as text, in order."""

    experiment: Experiment
    figures: list[str] = field(default_factory=list)
    held: bool = False
    wrong: list[str] | None = None
    """Violated invariants; None before the check."""
    others: str = ""
    """The result of I10 for the unaffected merchants, or the reason why it doesn't apply."""
    seconds: float = 0.0

    def note(self, figure: str) -> None:
        self.figures.append(figure)

    @property
    def row(self) -> str:
        outcome = "held" if self.held else "**did not hold**"
        found = f"{outcome}: {'; '.join(self.figures)}"
        cells = (self.experiment.number, self.experiment.title, self.experiment.must, found, self.others)
        return f"| {' | '.join(cells)} |"


def table(results: list[Result]) -> str:
    ordered = sorted(
        results, key=lambda result: (int(result.experiment.number.rstrip("abc")), result.experiment.number)
    )
    head = ["| # | experiment | must hold, besides I1–I10 | result | the others (I10) |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(result.row for result in ordered)])


def caption(results: list[Result], cores: int) -> str:
    day = datetime.now(UTC).date().isoformat()
    total = sum(result.seconds for result in results)
    machine = f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"
    return f"Run of {day} on {machine}: {len(results)} experiments in {total / 60:.0f} minutes."


def write(page: Path, text: str) -> None:
    """Write `text` between the comments of the page."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
