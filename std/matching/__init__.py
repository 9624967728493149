"""Reference occurrences of terms, and the optimal one-to-one pairing of hits with them.

    Lexemes, TermList          --occurrences.find--> Occurrences
    Detections, Occurrences    --alignment.align--> Alignment

Scoring counts these pairs; tuning learns from them.
"""
