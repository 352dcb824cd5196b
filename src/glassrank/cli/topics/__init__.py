"""Commands that read collections of pages and graphs of links."""
