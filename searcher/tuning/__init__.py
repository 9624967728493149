"""Learning of std-tune from a development set or marks, and its check without either."""
