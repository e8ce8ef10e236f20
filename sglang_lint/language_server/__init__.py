"""The LSP face; imports pygls, which the extra `lsp` brings."""
