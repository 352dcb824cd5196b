"""``python -m glassrank``: the same as the command ``glassrank``."""

from glassrank.cli.main import main

if __name__ == "__main__":
    main()
