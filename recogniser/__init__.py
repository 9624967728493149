"""Phase zero: audio into confusion networks, which std-index reads.

audio file --audio--> samples --windows--> Window --Recogniser--> Recognition
Recognition --networks--> ConfusionNetwork --folder--> NETWORKS/recording.jsonl
"""
