"""The figures of a Schedule, for JSON and for the screen."""

from __future__ import annotations

from typing import Any

from .screen import amount


def figures(schedule: Any) -> dict[str, Any]:
    """Return what every report of a Schedule begins with."""
    return {
        "cycles": int(schedule.cycles),
        "energy_pj": float(schedule.energy_pj),
        "energy_undeclared": list(schedule.energy_undeclared),
        "moves": len(schedule.moves),
        "firings": len(schedule.firings),
        "unserved": [
            {"request": u.request, "reason": u.reason, "earliest": u.earliest}
            for u in schedule.unserved
        ],
        "routing": schedule.engine,
    }


def sentence(found: dict[str, Any]) -> str:
    """Return the figures in one line."""
    parts = [
        amount(found["cycles"], "cycle"),
        f"{found['energy_pj']:.10g} pJ",
        amount(found["moves"], "move"),
        amount(found["firings"], "firing"),
    ]
    return ", ".join(parts)


def notes(found: dict[str, Any]) -> list[str]:
    """Return what a reader of the figures must know beside them."""
    lines = []
    if found["energy_undeclared"]:
        lines.append(f"energy leaves out what is undeclared: {_some(found['energy_undeclared'])}")
    lines += [f"unserved: {u['reason']}" for u in found["unserved"]]
    return lines


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
