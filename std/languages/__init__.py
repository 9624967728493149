"""Language of a text, recognised by function words and script."""
