"""pages.py - check the pages of `make html`

    pages.py links FOLDER              follow all links between the files of FOLDER
    pages.py browse CHROMIUM FOLDER    open all pages in a headless Chromium
    pages.py pictures CHROMIUM FOLDER WIDTH light|dark PAGE...
                                       write PAGE.WIDTH.light.png, to look at

A line for each fault, then "N checks, M faults"; exit status 1 if there are any.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import html.parser
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

EMPTY = {"meta", "link", "img", "br", "hr", "input", "col"}

checks = faults = 0


def check(holds, fault):
    global checks, faults
    checks += 1
    if not holds:
        faults += 1
        print(fault)


class Page(html.parser.HTMLParser):
    """Links, anchors and headings of a page; the tags that are open."""

    def __init__(self, name, text):
        super().__init__()
        self.name, self.ids, self.links, self.open, self.titles = name, [], [], [], 0
        self.feed(text)
        self.close()
        check(not self.open, f"{name}: never closed: {self.open}")
        check(self.titles == 1, f"{name}: {self.titles} titles")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.titles += tag == "title"
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append((tag, attributes[name]))
        if tag == "img":
            check(attributes.get("alt"), f"{self.name}: a picture without words: {attributes}")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        # a paragraph and the items of lists need no end
        while self.open and self.open[-1] != tag and self.open[-1] in ("p", "li", "dt", "dd", "tr", "td"):
            self.open.pop()
        check(self.open and self.open.pop() == tag, f"{self.name}: </{tag}> ends nothing, line {self.getpos()[0]}")


def links(folder):
    names = os.listdir(folder)
    pages = {}
    for name in sorted(names):
        if name.endswith(".html"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                pages[name] = Page(name, file.read())
    reached = {"index.html", "style.css"}
    for page in pages.values():
        check(len(page.ids) == len(set(page.ids)),
              f"{page.name}: an anchor twice: {[i for i in page.ids if page.ids.count(i) > 1]}")
        for tag, link in page.links:
            url = urllib.parse.urlparse(link)
            if url.scheme:
                # a reader may follow a link elsewhere; the page itself takes nothing from there
                check(url.scheme == "data" or tag == "a" and url.scheme in ("http", "https"),
                      f"{page.name}: <{tag}> of {link}")
                continue
            target = urllib.parse.unquote(url.path) or page.name
            check(target in names, f"{page.name}: no {target}")
            if target != page.name:
                reached.add(target)
            if url.fragment and target in pages:
                check(urllib.parse.unquote(url.fragment) in pages[target].ids,
                      f"{page.name}: no #{url.fragment} in {target}")
    for name in pages:
        check(name in reached, f"no page links to {name}")
    check(len(pages) >= 20, f"{len(pages)} pages")


class Browser:
    """A headless Chromium, told by the DevTools protocol over pipes."""

    def __init__(self, program, profile):
        to_browser, from_us = os.pipe()
        from_browser, to_us = os.pipe()

        def pipes():
            # the ends that Chromium reads and writes: 3 and 4, by way of numbers that are neither
            os.dup2(to_browser, 13)
            os.dup2(to_us, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
             "--hide-scrollbars", f"--user-data-dir={profile}"],
            close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(to_us)
        self.input, self.output = open(from_us, "wb"), open(from_browser, "rb")
        self.rest, self.n, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.output.fileno(), 1 << 20)
            if not more:
                sys.exit("pages.py: the browser ended")
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.n += 1
        request = {"id": self.n, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        self.input.write(json.dumps(request).encode() + b"\0")
        self.input.flush()
        while True:
            answer = self.message()
            if answer.get("id") == self.n:
                if "error" in answer:
                    sys.exit(f"pages.py: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, scheme):
        """Open a page; the events until it is complete."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        error = self.call("Page.navigate", url=url).get("errorText")
        if error:
            sys.exit(f"pages.py: {url}: {error}")
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        return self.events

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


# what sticks out to the right, but for what scrolls by itself
TOO_WIDE = """[...document.querySelectorAll("body *")].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, pre"))
    .slice(0, 3).map(e => e.outerHTML.slice(0, 100)).join(" | ")"""

# contrast of text and ground, and of links and ground, as WCAG 2 defines it
CONTRAST = """(() => {
    const light = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => (v /= 255) <= .03928 ? v / 12.92 :
        ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
    const ground = light(getComputedStyle(document.body).backgroundColor);
    return Math.min(...["body", "main a", "header", "nav h2"].map(s => document.querySelector(s)).filter(e => e)
        .map(e => light(getComputedStyle(e).color)).map(l =>
        (Math.max(l, ground) + .05) / (Math.min(l, ground) + .05)));
})()"""

PICTURES = "[...document.images].filter(i => !i.naturalWidth).map(i => i.src).join(' ')"


def browse(program, folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".html"))
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        for name in names:
            for width, scheme in ((360, "dark"), (1400, "light")):
                where = f"{name} at {width} pixels"
                for event in browser.open(f"file://{os.path.abspath(folder)}/{name}", width, scheme):
                    method, what = event["method"], event["params"]
                    check(method not in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"),
                          f"{where}: on the console: {what}")
                    if method == "Network.requestWillBeSent":
                        check(what["request"]["url"].split(":")[0] in ("file", "data"),
                              f"{where}: asks for {what['request']['url']}")
                wide = browser.value("document.documentElement.scrollWidth - innerWidth")
                check(wide <= 0, f"{where}: {wide} pixels too wide")
                out = browser.value(TOO_WIDE)
                check(not out, f"{where}: sticks out: {out}")
                missing = browser.value(PICTURES)
                check(not missing, f"{where}: not drawn: {missing}")
                contrast = browser.value(CONTRAST)
                check(contrast >= 4.5, f"{where}, {scheme}: contrast {contrast:.1f}")
        browser.end()


def pictures(program, folder, width, scheme, *names):
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        for name in names:
            browser.open(f"file://{os.path.abspath(folder)}/{name}.html", int(width), scheme)
            data = browser.call("Page.captureScreenshot", captureBeyondViewport=False)["data"]
            with open(f"{name}.{width}.{scheme}.png", "wb") as file:
                file.write(base64.b64decode(data))
        browser.end()


{"links": links, "browse": browse, "pictures": pictures}[sys.argv[1]](*sys.argv[2:])
print(f"{checks} checks, {faults} faults")
sys.exit(1 if faults else 0)
