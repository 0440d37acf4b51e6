"""Home-grown logs as records: a TOML file says where each field of the record stands."""

from analyzer.sources.mapping.applying import mapped
from analyzer.sources.mapping.file import Mapping, named_mapping, shipped

__all__ = ["Mapping", "mapped", "named_mapping", "shipped"]
