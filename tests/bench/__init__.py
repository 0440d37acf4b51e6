"""Benchmarks: what loading, reporting and asking cost, beside others in the same minutes.

Machines differ by a factor of two and so do minutes on one machine, so nothing here is a bare
figure: contenders take turns, and what counts is the ratio within a round.
"""
