"""From evidence to probability: features, logistic models, model files."""
