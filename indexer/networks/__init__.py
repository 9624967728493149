"""What every reader makes: words with posteriors as columns, then confusion networks."""
