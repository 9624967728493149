"""The output of std-score: the summary, CSV and HTML tables, plots, and the HTML report."""
