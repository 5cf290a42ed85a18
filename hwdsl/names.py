"""Names of parts: their natural order, their paths, and what they become in Verilog."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DIGITS = re.compile(r"([0-9]+)")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9][0-9]*)\]")

# IEEE 1364-2005 and the SystemVerilog words that common tools reserve in Verilog mode.
VERILOG_KEYWORDS = frozenset(
    """
    always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config
    deassign default defparam design disable edge else end endcase endconfig endfunction
    endgenerate endmodule endprimitive endspecify endtable endtask event for force forever fork
    function generate genvar highz0 highz1 if ifnone incdir include initial inout input instance
    integer join large liblist library localparam macromodule medium module nand negedge nmos nor
    noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1
    pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat
    rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled signed small specify specparam
    strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand
    trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor
    alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte
    chandle class clocking const constraint context continue cover covergroup coverpoint cross
    dist do endclass endclocking endgroup endinterface endpackage endprogram endproperty
    endsequence enum expect export extends extern final first_match foreach forkjoin iff
    ignore_bins illegal_bins import inside int interface intersect join_any join_none local logic
    longint matches modport new null package packed priority program property protected pure rand
    randc randcase randsequence ref return sequence shortint shortreal solve static string struct
    super tagged this throughout timeprecision timeunit type typedef union unique var virtual void
    wait_order wildcard with within
    """.split()
)


def natural_key(name: str) -> tuple[object, ...]:
    """Return the sort key in which ``pe[2]`` comes before ``pe[10]``; different for each name."""
    return tuple(int(s) if i % 2 else s for i, s in enumerate(_DIGITS.split(name))), name


def is_identifier(name: str) -> bool:
    return bool(_IDENTIFIER.match(name))


def parse_path(path: str) -> tuple[str | int, ...]:
    """Split ``cluster[4].tcdm`` into ``("cluster", 4, "tcdm")``.

    Raises
    ------
    ValueError
        If ``path`` is not a path as one writes it in Python.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        dotted = path[at] == "."
        named = match is not None and match[1] is not None
        if match is None or (named and dotted == (not steps)) or not (named or steps):
            raise ValueError(f"{path!r} is not a path such as 'cluster[4].tcdm'")
        steps.append(match[1] if match[1] is not None else int(match[2]))
        at = match.end()
    if not steps:
        raise ValueError("a path must not be empty")
    return tuple(steps)


def verilog_name(path: str) -> str:
    """Return the Verilog identifier of a part: ``pe[2].acc`` is ``pe_2_acc``.

    Every step that cannot stand in an identifier becomes ``_``, ``->`` becomes ``_to_``, and a
    keyword gets a ``_`` behind it. `clashes` finds the names for which this is not reversible.
    """
    name = path.replace("->", "_to_").replace("]", "")
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return name + "_" if name in VERILOG_KEYWORDS else name


def clashes(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of names that are one name in Verilog, letter case set aside."""
    seen: dict[str, str] = {}
    pairs = []
    for name in names:
        key = verilog_name(name).lower()
        if key in seen:
            pairs.append((seen[key], name))
        else:
            seen[key] = name
    return pairs
