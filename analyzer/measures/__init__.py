"""From rollups to estimates with intervals and verdicts; what they mean is decided in `stats`."""
