"""What each kind of model keeps in its file."""
