"""Model files: versioned JSON, validated when written and when read."""
