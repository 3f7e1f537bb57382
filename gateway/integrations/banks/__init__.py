"""Banks that speak the Central Bank's Pix API: how each differs, the settings of a connection, and its certificate."""
