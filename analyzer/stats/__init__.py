"""The arithmetic of the measures: pure functions of counts, that know no store, file or clock.

Everything an interval, a verdict or an alarm rests on is here, so that each formula can be read
with its source, and tested with numbers alone. Arrays come in, small frozen records go out; what
cannot be computed is None (in arrays NaN), never an infinity or a zero that stands for nothing.
"""
