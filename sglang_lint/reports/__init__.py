"""How findings are printed: one module for each format."""
