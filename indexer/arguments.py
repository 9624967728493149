"""What std-index's command line says of the inputs."""

import argparse

from indexer import InputOptions
from std.distinct import require_distinct


def require_each_once(args: argparse.Namespace) -> None:
    """Refuse a pipe that would be read twice."""
    named_files = {"INPUT": args.input, "--segments": args.segments, "--words": args.words}
    named_files |= {"--times": args.times, "--one-best": args.one_best, "--ecf": args.ecf}
    require_distinct(named_files | {"--config": args.config, "--metadata": args.metadata}, {})


def input_options(args: argparse.Namespace) -> InputOptions:
    """How inputs are read, as the command line says."""
    return InputOptions(
        input_format=args.format,
        name_by=args.name_by,
        segments=args.segments,
        words=args.words,
        times=args.times,
        one_best=args.one_best,
        frame_shift_s=args.frame_shift,
        acoustic_scale=args.acoustic_scale,
        lm_scale=args.lm_scale,
        word_on=args.word_on,
        lattice_method=args.lattice_method,
        keep_nonwords=args.keep_nonwords,
        tiers=tuple(args.tier),
    )
