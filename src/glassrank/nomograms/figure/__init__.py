"""The nomogram: layout, Vega specification, live page."""
