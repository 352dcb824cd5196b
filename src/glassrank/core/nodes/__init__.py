"""Random hidden nodes and least squares over pairs (ELM)."""
