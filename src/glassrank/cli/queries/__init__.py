"""Commands about queries: labels from judgements, and features over the ranks."""
