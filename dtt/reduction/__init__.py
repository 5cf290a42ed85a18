"""Reductions: dot products spread over multipliers, summed on the way by Adders.

As the DTT paper says: pretend to distribute the result to its multipliers, and play the flow
backwards. `network` is what the search knows of the Hardware, `calendar` who uses what when,
`distribution` the search for one dot product that ends in a given cycle, `placing` the choice of
leaves and cycle, `routed` and `direct` the feed of the multipliers, `additions` the sums that a
Schedule makes.
"""
