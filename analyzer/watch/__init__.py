"""From the estimates of many weeks to alarms: what changed, since when, and who was told."""

from analyzer.watch.alarms import Alarms, alarms, closed_week
from analyzer.watch.events import Said, append, said
from analyzer.watch.raising import up_to

__all__ = ["Alarms", "Said", "alarms", "append", "closed_week", "said", "up_to"]
