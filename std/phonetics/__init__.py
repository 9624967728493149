"""From spelling to phones: pronouncers, lexica, phone classes, phone confusions."""
