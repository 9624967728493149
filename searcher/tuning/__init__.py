"""What std-tune learns from a development set."""
