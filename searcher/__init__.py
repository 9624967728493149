"""Phase two: terms against a store. Hears no audio, reads no recogniser output.

    Term --variants--> word sequences --lookup--> Postings --join, merge--> Candidates
    Term --hearing--> phones --sound--> Candidates where the recogniser wrote other words
    Candidates --calibrate--> probabilities --decisions--> Detections, YES or NO

Read `searcher.search` first: the pipeline on one screen.
"""
