"""From one society to evidence: sweeps, statistics, norm coding, figures, reports."""
