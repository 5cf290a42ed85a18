"""Engines that are compiled to machine code: one shared library for each machine, kept on disk."""
