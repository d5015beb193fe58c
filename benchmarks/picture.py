"""The picture of a run: a bar for each of some ratios, as an SVG; of TPC-H what the incremental job takes of the full one."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

LEFT, WIDTH, ROW, TOP = 190, 560, 34, 78
LONGEST = 1.5
COLOURS = {"order_line": "#2a6f97", "incomplete_orders": "#e09f3e"}
STYLE = "text{font:12px sans-serif;fill:#333}.small{font-size:11px;fill:#666}.title{font-size:15px;font-weight:bold}"


def draw(record: dict[str, Any], path: Path) -> None:
    """Write the picture of a run (see `report.as_record`)."""
    rows = {
        scenario["name"]: {model: scenario["models"][model]["ratio"] or 0 for model in COLOURS}
        for scenario in record["scenarios"]
    }
    draw_bars(title(record), rows, COLOURS, path)


def draw_bars(
    heading: str, rows: dict[str, dict[str, float]], colours: dict[str, str], path: Path, left: int = LEFT
) -> None:
    """Write a picture: for each row a bar for each of some ratios.

    Args:
        heading: its title
        rows: {row: {bar: ratio}}
        colours: {bar: colour}
        path: where it goes
        left: how much room the rows' names have
    """
    height = TOP + ROW * len(rows) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + WIDTH + 60} {height}" role="img">',
        f"<title>{escape(heading)}</title><style>{STYLE}</style>",
        f'<rect width="100%" height="100%" fill="#fff"/><text class="title" x="12" y="24">{escape(heading)}</text>',
        *legend(colours, left),
        *scale_lines(TOP + ROW * len(rows), left),
    ]
    for row, (name, ratios) in enumerate(rows.items()):
        parts += bars(name, ratios, colours, TOP + ROW * row, left)
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def title(record: dict[str, Any]) -> str:
    """The picture's title."""
    return f"Incremental against create or replace, TPC-H scale factor {record['scale']:g}: seconds, full = 1"


def legend(colours: dict[str, str], left: int) -> list[str]:
    """Which colour is which bar."""
    parts = []
    for place, (name, colour) in enumerate(colours.items()):
        x = left + place * 150
        parts.append(
            f'<rect x="{x}" y="40" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="50">{name}</text>'
        )
    return parts


def scale_lines(bottom: int, left: int) -> list[str]:
    """A line at every half of the full job; the line at 1 is where full is as fast."""
    parts = []
    for tenth in range(0, int(LONGEST * 10) + 1, 5):
        x = left + WIDTH * tenth / 10 / LONGEST
        colour = "#b00" if tenth == 10 else "#ccc"
        parts.append(f'<line x1="{x:.0f}" y1="{TOP - 8}" x2="{x:.0f}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(f'<text class="small" x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{tenth / 10:g}</text>')
    return parts


def bars(name: str, ratios: dict[str, float], colours: dict[str, str], y: int, left: int) -> list[str]:
    """One row: a bar for each ratio; a bar that ends at the edge is longer than the picture."""
    parts = [f'<text x="{left - 10}" y="{y + 18}" text-anchor="end">{escape(name)}</text>']
    for place, (bar, colour) in enumerate(colours.items()):
        found = ratios[bar]
        length = WIDTH * min(found, LONGEST) / LONGEST
        top = y + 2 + place * 13
        parts.append(f'<rect x="{left}" y="{top}" width="{max(length, 1):.0f}" height="12" fill="{colour}"/>')
        parts.append(f'<text class="small" x="{left + length + 5:.0f}" y="{top + 10}">{found:.2f}</text>')
    return parts
