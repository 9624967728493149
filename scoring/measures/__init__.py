"""The measures, each a pure function of counts or scores."""
