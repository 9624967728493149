"""The commands std-search and std-tune: arguments, and what they print."""
