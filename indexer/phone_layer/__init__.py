"""Phones heard in the sound of an archive, by a layer learned from the archive's own words.

sources      the recordings of an index that have sound, and their likeliest words with phones
layer        PhoneLayer: frames -> log posteriors of phones, by the weights of a linear layer
learning     how probably each frame is each phone, given its words and how well it fits; rounds of
             layers -> Learned, and the share of held-out frames they get right
slots        log posteriors -> short stretches with alternative phones
index_phones stores -> segments with phones heard
"""
