"""What readers of several formats share: options, names of recordings, times, cues, speakers."""
