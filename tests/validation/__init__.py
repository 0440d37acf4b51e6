"""Holds the statistics to what they promise, on traffic whose truth is known.

`python -m tests.validation` prints what is measured beside what is published, and ends with an
error where a promise is not kept. Every number is seeded.
"""
