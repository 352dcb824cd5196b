"""The pages of the app, one file per page."""
