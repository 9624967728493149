"""The sound of recordings: frames of a recogniser's encoder, kept beside the networks.

encoder    what an encoder is here, and its frames on one scale
sink       windows in, ``NAME.sound`` out
"""
