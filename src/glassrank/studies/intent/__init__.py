"""The navigational query study."""
