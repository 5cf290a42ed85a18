"""The Account of a layer as the tables of ``hwdsl manticore``."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from .screen import amount, table

if TYPE_CHECKING:
    from dtt.manticore.account import Account

_LEVELS = ("cluster", "l1", "l2", "l3")
_LINKS = {
    "hbm_read": "main memory, read",
    "hbm_write": "main memory, written",
    **{f"{level}_down": f"{level} uplinks, down" for level in reversed(_LEVELS)},
    **{f"{level}_up": f"{level} uplinks, up" for level in _LEVELS},
}


def tables(account: Account) -> str:
    """Return all that is known, side by side."""
    return "\n\n".join((_title(account), _memory(account), _links(account), _ends(account)))


def _title(account: Account) -> str:
    work, layer = account.work, account.work.layer
    filters = f"filters of {layer.f}x{layer.f}"
    if work.algorithm < 4 and (layer.stride != 1 or layer.wo != layer.wi):
        filters += f", stride {layer.stride}, padding {layer.padding}"
    sizes = f"{layer.wi}x{layer.wi}x{layer.di} -> {layer.wo}x{layer.wo}x{layer.do}, {filters}"
    if layer.batch > 1:
        sizes += f", {layer.batch} images"
    stacks = f", stacks of {amount(work.stack, 'output slice')}" if work.stack > 1 else ""
    copies = ", any copy a source" if work.reuse else ""
    clusters = len(account.hardware.cluster)
    busy = min(work.tasks, clusters)
    return (
        f"Algorithm {work.algorithm}{stacks}{copies}: {layer.precision} precision\n"
        f"{sizes}; {layer.macs} multiply-accumulates\n"
        f"{amount(work.tasks, 'task')} on {busy} of {amount(clusters, 'cluster')}"
    )


def _memory(account: Account) -> str:
    layer, printed = account.work.layer, account.printed
    words = (account.forms.memory_words, account.scheduled_words, account.rtl_words)
    rates = [None if n is None else layer.macs / n for n in words]
    flops = [None if rate is None else 2 * rate / layer.word_bytes for rate in rates]
    unit = "spflop/B" if layer.precision == "single" else "dpflop/B"
    rows: list[tuple[str, Sequence[float | None]]] = [
        ("words", (None, *words)),
        ("MAC/word", (None if printed is None else printed.mac_per_word, *rates)),
        (unit, (None if printed is None else printed.flop_per_byte, *flops)),
    ]
    shown = [(name, *map(_shown, figures)) for name, figures in rows]
    text = table(("at main memory", "printed", "closed form", "schedule", "RTL"), shown)
    notes = [f"least possible: {account.least_words} words"]
    if account.work.algorithm > 3:
        notes = ["of the closed form, as in the paper: loads alone"]
    if printed is not None and printed.reason is not None:
        notes += wrap(f"printed: {printed.reason}", 90, subsequent_indent=" " * 9)
    return "\n".join((text, *notes))


def _links(account: Account) -> str:
    expected, scheduled, seen = account.expected.words, account.scheduled, account.seen
    rows = [
        (
            label,
            str(expected[name]),
            str(scheduled.words[name]),
            str(scheduled.padding[name]),
            _shown(None if seen is None else seen.words[name]),
        )
        for name, label in _LINKS.items()
    ]
    exchanged = expected["cluster_up"] - expected["hbm_write"]
    between = (
        str(exchanged),
        str(scheduled.exchanged),
        "",
        _shown(None if seen is None else seen.exchanged),
    )
    rows.append(("between clusters", *between))
    reduction = account.private_sums
    text = table(("words on", "expected", "schedule", "padding", "RTL"), rows)
    if reduction is None:
        return text
    return (
        f"{text}\nof these, to add up private outputs, which the paper leaves out: "
        f"{reduction.exchanged} between clusters, {reduction.stored} to main memory, "
        f"{amount(reduction.additions, 'addition')}"
    )


def _ends(account: Account) -> str:
    schedule, roof = account.schedule, account.roofline
    moves, firings = amount(len(schedule.moves), "move"), amount(len(schedule.firings), "firing")
    return (
        f"cycles     {schedule.cycles}, {schedule.cycles / roof.cycles:.3f} of the least, "
        f"{roof.cycles} by {roof.by}\n"
        f"energy     {schedule.energy_pj:.6g} pJ\n"
        f"schedule   {moves}, {firings}, routed by {schedule.engine}"
    )


def _shown(figure: float | None) -> str:
    if figure is None:
        return "-"
    return str(figure) if isinstance(figure, int) else f"{figure:.3f}".rstrip("0").rstrip(".")
