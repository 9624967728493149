"""What std-tune learns from a development set or marks, and checks without either."""
