"""What a Schedule foretells, part by part; shares nothing with the lowering to a Program.

`wires` and `actors` give the events, `stored` the addresses that must hold what at the end, `bits`
the values, and `ways` how a datum came to where it is.
"""
