"""Several recognisers of the same speech: their hits as one list.

pooling             the probabilities of several recognisers -> one, by their doubts
fused_candidates    which candidates are one event; those of several searches -> those of one
fused_index         the public functions of such an index
"""
