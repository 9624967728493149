"""Confidence intervals by resampling, and tests whether two systems differ."""
