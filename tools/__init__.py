"""Commands for those who work on sglang-lint: comparing, updating and rendering its data."""
