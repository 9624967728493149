"""std-search --explain-query, called in process."""

import json

from searcher.commands.search import main as std_search


def main(arguments):
    return std_search(["--explain-query", *arguments])


def run(capsys, *arguments):
    status = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def described(capsys, *arguments):
    status, out, err = run(capsys, "--json", *arguments)
    assert (status, err) == (0, "")
    return json.loads(out)
