"""From evidence to probability: weights, models, occurrence rate, which terms occur."""
