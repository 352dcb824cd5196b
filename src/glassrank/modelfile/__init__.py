"""Models in files: versioned JSON, checked on the way in and out."""
