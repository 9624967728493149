"""The sound of recordings: frames of a recogniser's encoder, kept beside the networks.

encoder    the interface of an encoder, and the scale of its frames
sink       windows in, ``NAME.sound`` out
"""
