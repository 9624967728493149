"""From evidence to probability: null distribution, features, weights, occurrence rate, models."""
