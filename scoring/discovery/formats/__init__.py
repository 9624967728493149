"""The files of ZeroSpeech's term discovery: alignments, class lists, folds."""
