"""From two searches to one list: places paired, their evidence, their probabilities."""
