"""Confidence intervals by a jackknife, and tests whether two systems differ."""
