"""The five source documents, reproduced: ``python -m experiments.papers FOLDER`` runs all of it."""
