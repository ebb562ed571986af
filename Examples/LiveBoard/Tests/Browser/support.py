"""A server, browsers and a shell for the tests. Waits are for states; no test sleeps for a fixed time."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# Far longer than any wait takes, so that a slow machine fails no test.
PATIENCE = float(os.environ.get("APUS_PATIENCE", "120"))
PROGRAM = os.environ["LIVE_BOARD"]


# The contrast of each visible text with what is behind it, by the formula of WCAG 2.
LOW_CONTRAST = """
const channel = (value) =>
  (value /= 255) <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
const parse = (color) => {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a];
};
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const color = parse(getComputedStyle(e).backgroundColor);
    if (color[3] === 1) return color;
  }
  return parse(getComputedStyle(document.documentElement).backgroundColor)[3]
    ? parse(getComputedStyle(document.documentElement).backgroundColor) : [255, 255, 255];
};
const found = [];
for (const element of document.querySelectorAll(arguments[0])) {
  const text = [...element.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
  const box = element.getBoundingClientRect();
  if (!text.length && element.value === undefined) continue;
  if (!element.checkVisibility() || box.width <= 1) continue;
  const front = light(parse(getComputedStyle(element).color));
  const back = light(behind(element));
  const ratio = (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
  if (ratio < 4.5) found.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
}
return found;
"""


def eventually(condition, what):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + PATIENCE
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except Exception as error:  # An element that is replaced meanwhile, for example.
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain until {what}" + (f": {last}" if last else ""))
        time.sleep(0.03)


class Server:
    def __init__(self, path=None):
        self.folder = tempfile.TemporaryDirectory(prefix="live-board-")
        self.path = path or os.path.join(self.folder.name, "board.sqlite")
        self.port = 0
        self.process = None

    def start(self):
        """Starts the server, on the same port as before, and waits until it is open."""
        self.process = subprocess.Popen(
            [PROGRAM, self.path, "--port", str(self.port)],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.search(r"http://localhost:(\d+)", line)
        assert match, f"the server did not start: {line!r}"
        self.port = int(match[1])
        self.url = f"http://localhost:{self.port}"
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Stops the server by SIGTERM, and returns how many seconds that took."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE)
        seconds = time.monotonic() - begin
        self.process.stdout.close()
        assert status == 0, f"the server ended with {status}"
        return seconds

    def close(self):
        """Ends the server, if it still runs, and removes its files."""
        if self.process.poll() is None:
            self.kill()
        self.folder.cleanup()

    def memory(self):
        """The memory that the server has now, and the most that it had, in MiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]

    def api(self, method, path, value=None, person=None):
        """Sends a request to the JSON API, and returns the status and the answer."""
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method)
        if person is not None:
            request.add_header("Cookie", f"person={person}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def shell(self, sql):
        """Runs SQL in the `sqlite3` shell, and returns what it prints."""
        return subprocess.run(
            ["sqlite3", "-cmd", ".timeout 60000", self.path, sql],
            check=True, capture_output=True, text=True).stdout.strip()

    def list_id(self, name):
        return next(list["id"] for list in self.api("GET", "/api/lists")[1] if list["name"] == name)

    def card(self, title):
        """The card of a title, as the API shows it."""
        cards = self.api("GET", "/api/cards")[1]
        return next((card for card in cards if card["title"] == title), None)


def browser(width=1440, height=900, dark=False, scripts=True, calm=False):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
        f"--window-size={width},{height}",
    ):
        options.add_argument(argument)
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(PATIENCE)
    show(driver, width, height, dark, calm)
    return driver


def show(driver, width, height, dark=False, calm=False):
    """Gives the window of a browser a size and a scheme; a narrow one is that of a phone."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        dict(width=width, height=height, deviceScaleFactor=1, mobile=width < 600))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]})


class Page:
    """A window of a browser that shows the board."""

    def __init__(self, driver, server):
        self.driver = driver
        self.server = server

    def open(self, path="/"):
        self.driver.get(self.server.url + path)
        self.wait_until_live()
        # A page that is loaded again loses this.
        self.run("window.sameDocument = true")
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait_until_live(self):
        eventually(
            lambda: self.run("return document.querySelector('#status').dataset.state") == "live",
            "the page is live")

    def is_same_document(self):
        return self.run("return window.sameDocument === true")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, selector):
        """Waits until an element is there and visible, and returns it."""
        return eventually(
            lambda: next((e for e in self.all(selector) if e.is_displayed()), None),
            f"{selector} is visible")

    def titles(self, list):
        """The titles of the cards of a list, in their order."""
        return self.run(
            """
            const list = [...document.querySelectorAll('.list')]
              .find((list) => list.querySelector('h2').textContent === arguments[0]);
            return list && [...list.querySelectorAll('.card:not([hidden]) .card-link')]
              .map((link) => link.textContent);
            """, list)

    def lists(self):
        return self.run("return [...document.querySelectorAll('.list h2')].map((h) => h.textContent)")

    def card(self, title):
        """The element of the card with a title; nil if there is none."""
        return self.run(
            """
            return [...document.querySelectorAll('.card')]
              .find((card) => card.querySelector('.card-link').textContent === arguments[0]) ?? null;
            """, title)

    def wait_for_card(self, title, list=None):
        if list is None:
            return eventually(lambda: self.card(title), f"the card {title!r} is shown")
        eventually(lambda: title in (self.titles(list) or []), f"the card {title!r} is in {list}")
        return self.card(title)

    def wait_until_gone(self, title):
        eventually(lambda: self.card(title) is None, f"the card {title!r} is gone")

    def open_card(self, title):
        self.wait_for_card(title).find_element(By.CSS_SELECTOR, ".card-link").click()
        return self.wait("dialog[open] .card-form")

    def wait_until_closed(self):
        eventually(lambda: not self.all("dialog[open]"), "the dialog is closed")

    def press(self, selector):
        """Clicks a button as soon as it can be pressed."""
        def press():
            next(e for e in self.all(selector) if e.is_displayed() and e.is_enabled()).click()
            return True

        eventually(press, f"{selector} can be pressed")

    def wait_for_text(self, selector, text):
        eventually(lambda: text in self.find(selector).text, f"{selector} says {text!r}")

    def focused(self):
        """A selector of the element with the focus: its id, or that of the card, result or list around."""
        return self.run(
            """
            const element = document.activeElement;
            return element.id || element.closest('.card, .found, .list')?.querySelector('h3, a, h2')
              ?.textContent.trim() || element.tagName;
            """)

    def unread(self, list):
        """The number of unread cards that a list shows."""
        return self.run(
            """
            const list = [...document.querySelectorAll('.list')]
              .find((list) => list.querySelector('h2').textContent === arguments[0]);
            const form = list.querySelector('.badge-form');
            return form.hidden ? 0 : Number(form.querySelector('.number').textContent);
            """, list)

    def errors(self):
        """What the console of the browser reports, except for the answers that tests ask for."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]
