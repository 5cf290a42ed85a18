"""Networks: Fabrics of Junctions (or memories) with numbered ports, to place inside another."""
