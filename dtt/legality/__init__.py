"""The rules of the timing contract, checked without any code of the scheduler.

`tables` and `ordering` are the ground; `indices`, `wires`, `nodes`, `actors` and `requests` hold
the rules, one file for each kind of part; `report` gathers what is broken.
"""
