"""Drawing: themes, and Vega specifications rendered as pages and pictures. Independent of models."""
