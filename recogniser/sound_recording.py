"""One recording: audio file -> its frames only, resumed where an earlier run stopped.

record    do it; reports its progress after each window
"""

import time

from recogniser import audio
from recogniser.protocol import Window
from recogniser.recording import Progress, RecordingReport, Stop, StoppedError, Task, channels_of
from recogniser.sound import SoundWriter, sound_file
from recogniser.windows import cut
from std.audio.samples import Damage
from std.values import Recording


def record(
    task: Task,
    writer: SoundWriter,
    progress: Progress = lambda seconds: None,
    stop: Stop = lambda: False,
) -> RecordingReport:
    """Write the frames of a recording, or the rest of them.

    Windows are cut as for recognition by the same model, so the bytes are the same. Frames that are
    already written stay.

    Raises:
        InputError: the file has no audio, or the output cannot be written.
        StoppedError: ``stop`` returned true; written frames are kept.
    """
    started = time.process_time()
    damage, report = Damage(), RecordingReport(task.name, has_words=False)
    found, channels = channels_of(task)
    encoder = writer.encoder
    longest_s = min(task.longest_s or encoder.longest_window_s, encoder.longest_window_s)
    done_s = 0.0
    for channel in reversed(channels):  # if the file of the first channel exists, all exist
        recording = Recording(task.name, channel)
        if sound_file(task.output, recording).exists():
            continue
        split = channel if task.channels == "split" else None
        windows = cut(
            audio.decode(task.path, split, damage), encoder.speech_probabilities, longest_s
        )
        window: Window | None = None
        with writer.sink(task.output, recording) as sink:
            report.resumed_windows += sink.there > 0
            for window in windows:
                written = sink.add(window)
                report.windows += 1
                report.silent += window.silent
                progress(done_s + window.end_ms / 1000)
                if written and stop():
                    raise StoppedError
        done_s += window.end_ms / 1000 if window else 0.0
    report.seconds, report.damaged_packets = round(done_s, 3), damage.packets
    if not found:
        report.warning = "no audio stream in it"
    report.cpu_s = round(time.process_time() - started, 3)
    return report
