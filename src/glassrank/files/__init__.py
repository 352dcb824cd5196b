"""Files and folders: reading whole files, atomic writing, and the user's cache folder."""
