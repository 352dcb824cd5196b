"""What the app shows of finished studies, computed from their folders."""
