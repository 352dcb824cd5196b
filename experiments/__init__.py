"""Research scripts behind the evidence pages; not part of the package."""
