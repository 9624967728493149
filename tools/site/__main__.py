"""Build the site and check it: exit status 0 if nothing is wrong, 1 with a line for each fault."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tools.site import checks
from tools.site.staging import stage

ROOT = Path(__file__).parent.parent.parent


def main(argv: list[str] | None = None) -> int:
    """Stage, build, check."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "site", help="folder of the site")
    parser.add_argument("--source", type=Path, default=ROOT / "build" / "site", help="for Sphinx")
    parser.add_argument(
        "--external-links", action="store_true", help="list links to other hosts (not followed)"
    )
    args = parser.parse_args(argv)
    stage(ROOT, args.source)
    shutil.rmtree(args.output, ignore_errors=True)
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "--builder", "html", "--quiet", "--fail-on-warning",
         "--keep-going", "--conf-dir", str(Path(__file__).parent),
         "--doctree-dir", str(args.source.with_name("site-doctrees")),
         str(args.source), str(args.output)],
        cwd=ROOT, check=False,
    )  # fmt: skip
    if built.returncode:
        return 1
    findings = checks.links(args.output)
    faults = [f"dead link: {line}" for line in findings.dead]
    faults += [f"loaded from another host: {line}" for line in findings.foreign]
    faults += [f"spelling: {line}" for line in checks.misspelt(ROOT)]
    print(*faults, sep="\n", end="\n" if faults else "")
    if args.external_links:
        print(*(f"{page}: {link}" for link, page in findings.external.items()), sep="\n")
    pages = len(list(args.output.rglob("*.html")))
    print(f"{pages} pages -> {args.output}/index.html; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
