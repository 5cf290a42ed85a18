"""Reports: a Schedule, and what the RTL made of it, as one self-contained HTML page.

`spans` reads a Schedule, `chart` draws space against time, `profile` draws how busy every part is
over a long time, and `page` sets them with tables on a page. The Schedule is handed in as an object
that has what `spans.Scheduled` names: this package knows neither scheduler nor RTL.
"""

from __future__ import annotations

from .page import Outcome, Report, Table, write
from .spans import Scheduled

__all__ = ["Outcome", "Report", "Scheduled", "Table", "write"]
