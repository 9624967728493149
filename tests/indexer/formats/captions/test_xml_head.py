"""The name of an XML document's first element."""

from std.nist.xml import root_name


def test_a_head_of_many_comments_is_passed_over_at_once():
    head = b'<?xml version="1.0"?>' + b"<!-- a comment -->\n" * 2000
    assert root_name(head + b"<tt:tt>") == "tt:tt"
    assert root_name(head + b"nothing") == ""
