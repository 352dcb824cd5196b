"""CPU time and memory of the process, for jobs of several steps."""
