"""Commands about the intents of queries: ``glassrank intent``."""
