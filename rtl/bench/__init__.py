"""Test benches that cocotb runs, on their own: what they need is in the files that they are."""
