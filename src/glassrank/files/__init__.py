"""Files and folders: whole files in and out, and where the user's cache is."""
