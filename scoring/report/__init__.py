"""What std-score writes: the summary, CSV and HTML tables, plots, and the HTML report."""
