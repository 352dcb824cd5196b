"""Pages and links out of HTML files, web archives and tables, kept in a compact form."""
