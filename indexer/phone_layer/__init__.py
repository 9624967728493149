"""Phones heard in the sound of an archive, by a layer learned from the archive's own words.

sources      the recordings of an index that have sound, and their likeliest words with phones
layer        PhoneLayer: frames -> log posteriors of phones, by the weights of a linear layer
learning     the probability of each phone at each frame, given the words; rounds of layers ->
             Learned, and the share of held-out frames that they get right
slots        log posteriors -> short stretches with alternative phones
index_phones stores -> segments with phones heard
"""
