"""Link analysis on tables larger than memory."""
