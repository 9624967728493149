"""What is searched for: words, and what they are looked up as."""
