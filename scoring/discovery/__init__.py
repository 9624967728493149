"""Term discovery measures of the ZeroSpeech challenges: judging systems without a recogniser.

A system lists classes of speech fragments that it takes for the same word; a gold alignment of
phones and words says what they are. From the files to the numbers:

    formats         files -> tiers, class lists, folds, talkers
    corpus          tiers and classes -> Corpus, Discovery: arrays over one table of files
    transcription   fragments -> runs of phones or words, by three published rules
    evaluate        the three profiles: which rule each measure takes; scopes; folds
    summary         DiscoveryEvaluation -> text, CSV, JSON
    html_report     DiscoveryEvaluation -> HTML

    boundary  token_type  coverage  ned  grouping  matching     the measures, pure functions
    pairs  partners  ngrams                                     counting without listing pairs
    rates  scores  folds                                        values, and their spread

Start with `scoring.discovery.evaluate`; docs/discovery.md shows every point where the published
tools and the published definition differ, with a small example each.
"""
