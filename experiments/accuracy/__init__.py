"""Parts of the accuracy study that ``experiments/ranking_accuracy.py`` runs."""
