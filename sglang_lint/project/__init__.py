"""The only layer that touches the disk: discovery, configuration, reading of files."""
