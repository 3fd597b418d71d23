"""A headless Chromium that opens a page at a given width, in light or dark, and says what a reader would meet."""

import html
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

#: What is asked of the page, once everything in it has loaded.
_QUESTIONS = Path(__file__).with_name("browser.js")
#: What goes wrong before the questions come is kept as well.
_ERRORS = (
    "window.wrong=[];addEventListener('error',e=>wrong.push(String(e.message||e.target.outerHTML)),true);"
    "addEventListener('securitypolicyviolation',e=>wrong.push(e.blockedURI))"
)
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


def inspected(page: Path, folder: Path, *, width: int, dark: bool = False) -> dict[str, Any]:
    """The answers of browser.js about `page` in a frame `width` pixels wide and 900 high.

    A window cannot be as narrow as a telephone, a frame in it can. folder holds what the browser writes.
    """
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert browser is not None, "the tests marked browser need Chromium on the PATH"
    script = _QUESTIONS.read_text("utf-8")
    before = f'<head><base href="{page.parent.as_uri()}/"><script>{_ERRORS}</script>'
    text = page.read_text("utf-8").replace("<head>", before, 1)
    text = text.replace("</body>", f"<script>{script}</script></body>")
    frame = folder / "frame.html"
    frame.write_text(
        f'<!doctype html><meta name="color-scheme" content="{"dark" if dark else "light"}"><body style="margin:0">'
        f'<iframe width="{width}" height="900" style="border:0" srcdoc="{html.escape(text, quote=True)}"></iframe>'
        '<pre id="answers"></pre><script>addEventListener("message",e=>{document.getElementById("answers").textContent='
        "e.data})</script></body>",
        "utf-8",
    )
    scheme = (
        ("--blink-settings=preferredColorScheme=0",) if dark else ("--blink-settings=preferredColorScheme=1",)
    )
    output = subprocess.run(
        [
            browser,
            *_FLAGS,
            *scheme,
            f"--user-data-dir={folder / 'profile'}",
            "--window-size=1500,1000",
            "--virtual-time-budget=20000",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "HOME": str(folder)},
    ).stdout
    answers = output.partition('<pre id="answers">')[2].partition("</pre>")[0]
    assert answers, "the page never answered"
    measured: dict[str, Any] = json.loads(html.unescape(answers))
    return measured
