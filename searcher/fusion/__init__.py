"""Several recognisers of the same speech: their hits as one list.

pooling             the probabilities of several recognisers -> one, by their doubts
fused_candidates    the candidates of several searches -> one list, an event once
fused_index         the public functions of such an index
"""
