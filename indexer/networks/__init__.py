"""The values of readers: words with posteriors as columns, then confusion networks."""
