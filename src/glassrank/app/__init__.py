"""The local web app: pages that call the same functions as the command line."""
