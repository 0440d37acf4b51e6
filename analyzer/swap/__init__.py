"""Position-swap evaluation: the same question, its expected chunk moved to start, middle and end.

The only source of an absolute dip, in points of accuracy. A set is planned (`questions`, `logged`,
`planning`), asked (`running`, over `endpoint` or `command`), judged (`judging`) and scored
(`scoring`, `gating`); `keeping` puts outcomes into the store, `coverage` says what traffic no
evaluation has covered, and `panel` is what the weekly report shows.
"""
