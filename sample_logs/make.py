"""Write the sample logs again from `scenario.toml`, byte for byte as they are."""

from __future__ import annotations

from pathlib import Path

from analyzer.simulate import load_scenario, simulate

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    simulate(load_scenario(HERE / "scenario.toml"), HERE)
