#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/page_times.py - how long a browser takes to open a page of burin report, by the browser's own clock.

    python3 tools/page_times.py [--rounds N] [--limit SECONDS] [--browser PROGRAM] PAGE...

Each round starts a browser of its own (Chromium, headless), so nothing of a page is in its memory. Milliseconds from the beginning of the
navigation (performance.timeOrigin) until the first row of objects is painted (the filters work then), until the document is parsed, and
until the load event has ended. "browser" is its start, before it navigates, by this machine's clock: no part of the others. "rows" is
how many of them were drawn first. Medians [least .. most].
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# Rows are painted in the frame behind the one in which they are in the document.
WATCH = """
new MutationObserver((changes, observer) => {
    if (!document.documentElement || document.documentElement.dataset.ready === undefined) return;
    observer.disconnect();
    window.pageRows = document.querySelectorAll("#rows .row").length;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.pageFirst = performance.now(); }));
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready"] });
"""
ASK = """
(() => {
    const nav = performance.getEntriesByType("navigation")[0];
    return JSON.stringify(nav && nav.loadEventEnd > 0 && window.pageFirst !== undefined ?
        { first: window.pageFirst, parsed: nav.domContentLoadedEventEnd, load: nav.loadEventEnd, rows: window.pageRows } : null);
})()
"""

class Browser:
    """A browser that takes commands from a pipe: each message ends with a NUL."""

    def __init__(self, program, folder):
        take, self.out = os.pipe()
        self.into, give = os.pipe()

        def pipes():
            to, come = os.dup(take), os.dup(give)
            os.dup2(to, 3)
            os.dup2(come, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}",
             "--window-size=1280,900", "about:blank"],
            preexec_fn=pipes, pass_fds=(3, 4), close_fds=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(take)
        os.close(give)
        self.number, self.rest = 0, b""

    def ask(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.into, 1 << 16)
                if not more:
                    sys.exit("page_times: the browser has ended")
                self.rest += more
            one, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"page_times: {method}: {answer['error']['message']}")
                return answer["result"]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)


def measure(program, page, limit):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        begin = time.monotonic()
        browser = Browser(program, folder)
        try:
            target = next(one["targetId"] for one in browser.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
            session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            browser.ask("Page.enable", session)
            browser.ask("Page.addScriptToEvaluateOnNewDocument", session, source=WATCH)
            ready = time.monotonic()
            browser.ask("Page.navigate", session, url=pathlib.Path(page).resolve().as_uri())
            while time.monotonic() < ready + limit:
                said = browser.ask("Runtime.evaluate", session, expression=ASK)["result"].get("value")
                times = json.loads(said) if said else None
                if times:
                    return {"browser": (ready - begin) * 1000, **times}
                time.sleep(0.1)
            sys.exit(f"page_times: {page}: no row after {limit} seconds")
        finally:
            browser.close()


def main():
    words = argparse.ArgumentParser(description="how long a browser takes to open pages of burin report")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--browser", default="chromium")
    words.add_argument("--limit", type=float, default=120, help="seconds for a page")
    words.add_argument("pages", nargs="+")
    o = words.parse_args()
    runs = {page: [] for page in o.pages}
    for _ in range(o.rounds):
        for page in o.pages:
            runs[page].append(measure(o.browser, page, o.limit))
    print("page\twhat\tmedian\tleast\tmost")
    for page, times in runs.items():
        for what in ("browser", "first", "parsed", "load", "rows"):
            values = [one[what] for one in times]
            print(f"{page}\t{what}\t{statistics.median(values):.0f}\t{min(values):.0f}\t{max(values):.0f}")


if __name__ == "__main__":
    main()
