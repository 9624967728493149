"""Several recognisers of the same speech: what each found, as one list of hits.

same_places   which hits of different recognisers are one event      (`places`)
doubt         how little sure each recogniser was of each recording  (`doubt`)
pool          the probabilities of a place -> one                    (`pooling`)
fuse          the candidates of several searches -> those of one     (`fused_candidates`)
"""
