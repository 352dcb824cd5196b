"""The topic distillation study."""
