from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.report.csv_tables import system_names
from scoring.report.write import _folder_names

NAMES = [
    # files, system ids, names
    (["a.xml"], ["std"], ["std"]),
    (["a.xml", "b.xml"], ["one", "two"], ["one", "two"]),
    (["a.xml", "b.xml"], ["std", "std"], ["a", "b"]),
    (["a.xml", "b.xml.gz", "c.xml"], ["std", "other", "std"], ["a", "other", "c"]),
    (["a.xml", "b.xml"], ["", "std"], ["a", "std"]),
    (["a.xml", "b.xml"], ["", ""], ["a", "b"]),
    (["x/hits.xml", "y/hits.xml.gz"], ["std", "std"], ["x/hits", "y/hits"]),
    (["x/1/hits.xml", "y/1/hits.xml"], ["std", "std"], ["x/1/hits", "y/1/hits"]),
    (["hits.xml", "y/hits.xml"], ["std", "std"], ["hits", "y/hits"]),
    (["/x/hits.xml", "/y/hits.xml"], ["std", "std"], ["x/hits", "y/hits"]),
    (["hits.xml", "hits.xml"], ["std", "std"], ["hits", "hits (2)"]),
    (["a/b.xml", "c.xml", "d.xml"], ["", "b", ""], ["a/b", "b", "d"]),
    (["b.xml", "c.xml"], ["", "b"], ["b (2)", "b"]),
]


@pytest.mark.parametrize(("files", "ids", "expected"), NAMES)
def test_names(files, ids, expected):
    assert system_names([Path(one) for one in files], ids) == expected


paths = st.lists(
    st.sampled_from(["a.xml", "b.xml", "x/a.xml", "y/a.xml.gz", "b (2).xml", "/a.xml"])
)


@given(paths, st.data())
def test_names_differ(files, data):
    ids = [data.draw(st.sampled_from(["", "std", "a", "b", "x/a", "b (2)"])) for _ in files]
    names = system_names([Path(one) for one in files], ids)
    assert len(set(names)) == len(files)
    assert all(names)
    assert all(
        name == one for name, one in zip(names, ids, strict=True) if ids.count(one) == 1 and one
    )


def test_folders_differ_and_leave_the_report_alone():
    folders = _folder_names(["A/B", "A_B", "det.svg", "..", "A B"], {"det.svg"})
    assert [*folders.values()] == ["A_B", "A_B_2", "det.svg_2", "system", "A_B_3"]
