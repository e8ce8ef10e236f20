"""Conditions that need code; their metadata stands in the rule files like any other rule's."""
