"""Stands in for a simulator: writes how cocotb's runner would start it, and starts nothing.

``command.json`` holds the arguments and the environment.
"""

import json
import os
import sys
from pathlib import Path

Path("command.json").write_text(json.dumps([sys.argv[1:], dict(os.environ)]))
