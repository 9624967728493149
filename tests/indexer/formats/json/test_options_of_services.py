"""Options that name the recording and the channel hold for what speech services answer."""

import copy

from indexer.formats.shared.reader import ReaderOptions
from std.values import Recording
from tests.indexer.formats.json.conftest import read
from tests.indexer.formats.json.test_assemblyai import turn
from tests.indexer.formats.json.test_aws import BEST, of_event, of_result
from tests.indexer.formats.json.test_deepgram import alternative, of_deepgram
from tests.indexer.formats.json.test_revai import ELEMENTS
from tests.indexer.formats.json.test_riva import of_riva
from tests.indexer.formats.json.test_speechmatics import DAS, add


def test_options_name_the_recording_and_the_channel():
    options = ReaderOptions(file="talk", channel=3)
    for name, value in [
        ("deepgram", of_deepgram(alternative(1, 1))), ("assemblyai", turn(1, 1)),
        ("speechmatics", add(DAS)), ("revai", {"monologues": [{"elements": ELEMENTS}]}),
        ("aws-streaming", of_event(of_result(BEST))), ("riva", of_riva({"transcript": "das"})),
    ]:  # fmt: skip
        (network,) = read(name, copy.deepcopy(value), options)
        assert network.recording == Recording("talk", 3), name
