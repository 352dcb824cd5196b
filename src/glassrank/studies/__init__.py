"""Studies: complete analyses with a report, which the commands run."""
