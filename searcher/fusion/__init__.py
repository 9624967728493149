"""Several recognisers of the same speech: what each found, as one list of hits.

pooling             how little sure each recogniser was of each recording; its probabilities -> one
fused_candidates    which candidates are one event; those of several searches -> those of one
fused_index         the public functions of such an index
"""
