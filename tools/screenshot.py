"""Take the picture of the search page in README from a running service.

    python tools/screenshot.py [docs/images/service.png]

Indexes the German example into a temporary folder, serves it with its audio, searches as a person
would and photographs the page in the system's Chromium (STD_CHROMIUM names another one).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from indexer import index_files

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "service.png"
SEARCH = "?term=hahnenfedern&term=burganlagen&term=polizei&term=jahren&min_probability=0.02"
SIZE = {"width": 1180, "height": 860}


def main(picture: Path) -> None:
    """Take the picture."""
    german = ROOT / "examples" / "german"
    chromium = os.environ.get("STD_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/index"
        index_files([str(german / "mesh")], store=store, ecf=str(german / "ecf.xml"))
        command = [sys.executable, "-m", "service.cli", "--store", store, "--port", "0", "--quiet"]
        command += ["--audio", str(german / "audio"), "--feedback", f"{folder}/marks.jsonl"]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
                )
                page = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
                page.set_default_timeout(180_000)
                address = service.stdout.readline().strip()
                page.goto(address)
                page.locator("#health").wait_for(state="hidden")
                page.goto(address + SEARCH)
                page.locator(".hit").first.wait_for()
                page.get_by_role("button", name="Right").first.click()
                page.locator("#marked").filter(has_text="1 right").wait_for()
                page.screenshot(path=picture)
                browser.close()
        finally:
            service.terminate()
            service.wait(60)
    print(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
