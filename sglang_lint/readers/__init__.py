"""One package per host language: text in, launches out."""
