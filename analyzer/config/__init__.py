"""`citelog.toml`: what the nightly job loads, watches, writes and keeps.

Every setting has a default and a description; a wrong one is answered with its line, what holds
instead and the nearest right name.
"""

from analyzer.config.layers import strangers
from analyzer.config.reading import DEFAULT_FILE, file_in_force, load
from analyzer.config.settings import Config, Prices, Volume, Webhook
from analyzer.config.template import template

__all__ = [
    "DEFAULT_FILE",
    "Config",
    "Prices",
    "Volume",
    "Webhook",
    "file_in_force",
    "load",
    "strangers",
    "template",
]
