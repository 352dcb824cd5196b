"""Real search engines for the tests: fetched as Maven artifacts, started on this machine, stopped by process id."""
