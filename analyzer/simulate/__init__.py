"""Synthetic traffic whose truth is known: citation logs to try the analyzer on.

Seeded and exact: the same scenario gives the same bytes. Each period of a route is made as arrays
(`generate`), written as log lines (`encode`, `files`), and its truth is kept beside (`truth`).
"""

from analyzer.simulate.loading import load_incidents, load_scenario, with_incidents
from analyzer.simulate.planning import adjusted, incidents_of
from analyzer.simulate.run import periods, simulate
from analyzer.simulate.scenario import Incident, Layout, Model, Route, Scenario
from analyzer.simulate.standard import standard

__all__ = [
    "Incident",
    "Layout",
    "Model",
    "Route",
    "Scenario",
    "adjusted",
    "incidents_of",
    "load_incidents",
    "load_scenario",
    "periods",
    "simulate",
    "standard",
    "with_incidents",
]
