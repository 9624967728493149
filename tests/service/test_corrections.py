"""Corrections by REST: seen at once by words and searches, undone, everywhere, and refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import index_files, list_corrections
from service.api.corrections import CorrectionRequest, _require_written
from service.recordings import recording_id
from std.values import Recording


@pytest.fixture(scope="module")
def settings(german_settings, german_index, tmp_path_factory):
    store = tmp_path_factory.mktemp("corrected") / "index"
    shutil.copytree(german_index, store)
    call = "".join(f"Gespräch {channel} 0.5 0.4 alphabet 0.9\n" for channel in (1, 2))
    (store.parent / "call.ctm").write_text(call)
    index_files(str(store.parent / "call.ctm"), store=str(store), language="German")
    return replace(german_settings, stores=(str(store),), allow_corrections=True)


@pytest.fixture(scope="module")
def correcting(serve, settings):
    with serve(settings) as client:
        yield client


PATH = "/api/recordings/KERSTIN_00"
TIM = {"from": 20.025, "to": 20.275}  # the recogniser wrote "tim" there


def said(client, from_s=19.3, to_s=20.7):
    found = client(f"{PATH}/words", from_=from_s, to=to_s).json["words"]
    return [(one["word"], one["corrected"], one["doubtful"], one["posterior"]) for one in found]


def test_a_word_is_corrected_found_and_taken_back(correcting):
    before = said(correcting)
    answer = correcting(
        f"{PATH}/corrections", method="POST", body=TIM | {"words": "Xylofon Probe", "before": "tim"}
    )
    assert answer.status == 200, answer.body
    (one,) = answer.json["corrections"]
    assert (one["before"], one["after"]) == ("tim", "Xylofon Probe")
    now = said(correcting)
    assert ("xylofon", True, False, 1.0) in now
    assert ("probe", True, False, 1.0) in now
    assert [word for word in now if not word[1]] == [word for word in before if word[0] != "tim"]
    hit, *by_sound = correcting("/api/search", term="xylofon probe").json["hits"]
    assert hit["corrected"]
    assert all(one["method"] == "phonetic" and not one["corrected"] for one in by_sound)
    assert hit["recording_id"] == "KERSTIN_00"
    page = correcting("/", term="xylofon probe").body.decode()
    assert "as a person has corrected it" in page
    assert "<span>100 %</span>" in page
    answer = correcting(f"{PATH}/corrections", method="DELETE", at=20.1)
    assert answer.json["corrections"] == []
    assert said(correcting) == before
    assert correcting(f"{PATH}/corrections", method="DELETE", at=20.1).status == 400


def test_the_correction_of_another_channel_stays(correcting):
    ids = [recording_id(Recording("Gespräch", channel)) for channel in (1, 2)]
    named = correcting(f"/api/recordings/{ids[1]}/transcript").headers["content-disposition"]
    assert named == "attachment; filename*=UTF-8''Gespr%C3%A4ch_2.vtt"
    paths = [f"/api/recordings/{one}/corrections" for one in ids]
    body = {"from": 0.4, "to": 0.95, "words": "hallo"}
    assert [correcting(path, method="POST", body=body).status for path in paths] == [200, 200]
    assert correcting(paths[1], method="DELETE", at=0.6).json["corrections"] == []
    assert [len(correcting(path).json["corrections"]) for path in paths] == [1, 0]
    assert correcting(paths[0], method="DELETE", at=0.6).status == 200


def test_every_word_is_found_again_where_the_page_has_it(correcting):
    words = correcting(f"{PATH}/words").json["words"]
    assert len(words) > 200
    service = correcting.service
    entry = service.snapshot.recordings.by_id[PATH.rpartition("/")[2]]
    for first, last in [*zip(words, words, strict=True), *zip(words, words[3:], strict=False)]:
        end_s = last["start_s"] + last["duration_s"]
        here = words[words.index(first) : words.index(last) + 1]
        seen = " ".join(one["word"] for one in here)
        asked = {"from": first["start_s"], "to": end_s, "words": "", "before": seen}
        _require_written(service, entry, CorrectionRequest(**asked))


def test_a_colleagues_correction_is_not_overwritten(correcting):
    path, body = f"{PATH}/corrections", TIM | {"words": "hahn", "before": "tim"}
    assert correcting(path, method="POST", body=body).status == 200
    answer = correcting(path, method="POST", body=body | {"words": "huhn"})
    assert answer.status == 412
    assert answer.json["written"] == "hahn"
    assert correcting(path, method="DELETE", at=20.1).status == 200


def test_words_are_corrected_everywhere(correcting, settings):
    found = correcting("/api/corrections/places", before="spreewald").json["places"]
    assert found
    assert all(one["context"][1] == "spreewald" for one in found)
    nothing = correcting("/api/corrections/places", before='"-"').json["detail"]
    assert nothing == "before: expected a word or a phrase, got '\"-\"'"
    chosen = [{"recording": one["recording"], "start_s": one["start_s"]} for one in found]
    body = {"before": "spreewald", "after": "Sprehwalt", "places": chosen}
    answer = correcting("/api/corrections", method="POST", body=body)
    assert answer.json["corrected"] == len(found)
    assert correcting("/api/corrections/places", before="spreewald").json["places"] == []
    assert len(correcting("/api/corrections/places", before="sprehwalt").json["places"]) == len(
        found
    )
    kept = list_corrections(settings.stores)
    assert [one.correction.written for one in kept] == ["Sprehwalt"] * len(found)
    assert correcting("/api/corrections", method="POST", body=body).status == 412
    assert len(list_corrections(settings.stores)) == len(found)
    text = correcting(f"{PATH}/transcript", format="txt")
    assert "attachment" in text.headers["content-disposition"]
    assert "sprehwalt" in text.body.decode().lower()
    assert b"-->" in correcting(f"{PATH}/transcript", format="vtt").body
    assert json.loads(correcting(f"{PATH}/transcript", format="json").body)
    for one in chosen:
        path = f"/api/recordings/{one['recording']}/corrections"
        assert correcting(path, method="DELETE", at=one["start_s"] + 0.05).status == 200


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{PATH}/corrections", {"from": 2, "to": 1, "words": "a"}, 400),
        (f"{PATH}/corrections", {"from": 2, "words": "a"}, 422),
        (f"{PATH}/corrections", {"from": False, "to": 3, "words": "a"}, 422),
        (f"{PATH}/corrections", {"from": 2, "to": 3, "words": "a" * 501}, 422),
        (f"{PATH}/corrections", {"from": 2, "to": 3, "words": "a\0"}, 422),
        (f"{PATH}/corrections", {"from": 2, "to": 3, "words": "a\u202eb"}, 422),
        ("/api/recordings/nobody/corrections", {"from": 2, "to": 3, "words": "a"}, 404),
        ("/api/corrections", {"before": "a", "after": "b", "places": []}, 422),
    ],
)
def test_what_is_no_correction_is_refused(correcting, path, body, status):
    assert correcting(path, method="POST", body=body).status == status


def test_folders_of_the_server_are_not_told(correcting, settings):
    answer = correcting(f"{PATH}/corrections", method="DELETE", at=9999)
    (store,) = settings.stores
    assert answer.json["detail"].startswith(f"{Path(store).name}: expected a correction of KERST")
    assert str(Path(store).parent) not in answer.body.decode()


def test_nobody_corrects_unless_it_is_allowed(client):
    body = TIM | {"words": "hahn"}
    assert client(f"{PATH}/corrections", method="POST", body=body).status == 403
    assert client(f"{PATH}/corrections", method="DELETE", at=1).status == 403
    assert b'id="correct"' not in client("/recordings/KERSTIN_00").body


def test_the_transcript_of_a_channel_that_has_just_left_is_that_of_no_other(
    serve, german_settings, tmp_path
):
    store, call = str(tmp_path / "index"), tmp_path / "call.ctm"
    call.write_text("".join(f"call {channel} 0.5 0.4 alphabet 0.9\n" for channel in (1, 2)))
    index_files(call, store=store, language="German")
    with serve(replace(german_settings, stores=(store,), poll_s=600.0)) as client:
        first, second = (recording_id(Recording("call", channel)) for channel in (1, 2))
        call.write_text("call 2 0.5 0.4 haus 0.9\n")
        index_files(call, store=store, language="German")
        assert client(f"/api/recordings/{first}/transcript").status == 404
        assert b"haus" in client(f"/api/recordings/{second}/transcript").body
