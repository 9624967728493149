"""What every reader returns: words with posteriors as columns, then confusion networks."""
