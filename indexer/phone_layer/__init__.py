"""Phones heard in the sound of an archive, by a layer learned from the archive's own words.

words        which phones a segment's likeliest words have, and when -> SpokenWords
targets      which phones each frame may belong to -> Targets, at first evenly spread
alignment    the phone of each frame, given how well it fits each phone
classes      frames and their phones -> ClassSums -> weights of a linear layer
layer        PhoneLayer: frames -> log posteriors of phones
learning rounds of all of these -> Learned: layers, and the share of held-out frames they get right
slots log posteriors -> short stretches with alternative phones kept layers and slots as columns of
a segment sources the recordings of an index that have sound, and their words index_phones stores ->
segments with phones heard
"""
