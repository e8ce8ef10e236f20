"""The compatibility matrix: rules and resolution steps as data, judged over worlds."""
