"""The rules of the timing contract, checked without any code of the scheduler.

`tables` and `ordering` are the ground; `indices`, `wires`, `nodes`, `actors`, `requests` and
`reuse` hold the rules; `report` gathers what is broken.
"""
