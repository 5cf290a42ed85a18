"""The command line: one module for each command, and what they share.

A command's module has ``SUMMARY``, ``arguments(parser)`` and ``run(options) -> exit status``. Its
heavy imports (dtt, rtl, NumPy) stand where they are used, so that ``hwdsl --help`` stays instant.
"""
