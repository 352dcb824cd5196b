"""Theme, Vega specifications to pages and pictures; knows no model."""
