"""Root and base sets, HITS, Bharat–Henzinger, SVDD, and the distiller that combines them."""
