"""Tables of HTML pages: every text is escaped, whatever the cell says of itself is kept."""

from markupsafe import Markup

from std.display.html import HtmlColumn, HtmlTable, templates


def written(one):
    page = templates("std.display").from_string(
        '{% from "table.html" import table %}{{ table(one) }}'
    )
    return page.render(one=one)


def test_a_table_escapes_its_texts_and_keeps_markup():
    columns = [
        HtmlColumn("<name>"),
        HtmlColumn("why", is_text=True),
        HtmlColumn(Markup("P<sub>fa</sub>")),
    ]
    page = written(HtmlTable('"x" & <y>', columns, [["<script>", "a > b", 7]], "compact"))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<sub>fa</sub>" in page
    assert 'aria-label="&#34;x&#34; &amp; &lt;y&gt;"' in page
    assert '<table class="compact">' in page
    assert '<td class="text" dir="auto">a &gt; b</td><td>7</td>' in page


def test_rows_may_be_made_as_they_are_written_and_the_last_be_a_sum():
    page = written(HtmlTable("t", [HtmlColumn("n")], ([n] for n in range(3)), has_total=True))
    assert page.count("<tr>") == 3
    assert page.count('<tr class="total">') == 1
