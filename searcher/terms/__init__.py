"""Terms: their words, and the word sequences that are looked up for them."""
