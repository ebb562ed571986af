"""The site of the documentation as a reader meets it in Chromium: `Scripts/docs --browser`."""
import functools
import http.server
import sys
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60
WORDS = ["Renamed", "LiveModel", "fetch", "many", "one row", "upsert", "foreign key", "Where("]


class Server(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class SiteTests(unittest.TestCase):
    site = ""

    @classmethod
    def setUpClass(cls):
        handler = functools.partial(Server, directory=cls.site)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        cls.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.server.shutdown()

    def open(self, path, width=1280, dark=False, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", dict(
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600))
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        # A page that is open already would only move to its anchor.
        self.driver.get("about:blank")
        self.driver.get(f"http://127.0.0.1:{self.server.server_port}/{path}")
        self.wait(lambda: self.texts("main h1"))

    def wait(self, condition):
        return WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=(Exception,)).until(
            lambda _: condition())

    def texts(self, selector):
        """The texts of the elements, read at once, since the navigator draws its items again and again; those
        that it keeps for later stand above the window."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter(e => e.getBoundingClientRect().top > -5000).map(e => e.innerText.trim())", selector)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def test_the_root_leads_to_a_page_that_says_where_to_begin(self):
        for path in ("", "documentation/"):
            self.open(path)
            self.assertTrue(self.driver.current_url.endswith("/documentation/apus/"))
        self.assertEqual(self.texts("main h1"), ["Apus"])
        self.assertIn("SQLite for Swift", self.find("main").text)
        links = self.texts("main a")
        for title in ("Getting started", "A tutorial", "Find it by task", "Models", "Recipes"):
            self.assertIn(title, links)
        self.assertIn("Guides", self.texts("main h3"))

    def test_the_navigator_has_each_page_once(self):
        self.open("documentation/apus/", height=3000)
        self.wait(lambda: "Long runs" in self.texts(".navigator-card-item"))
        items = self.texts(".navigator-card-item")
        for title in ("Getting started", "Models", "Recipes", "Migrations", "Errors"):
            self.assertEqual(items.count(title), 1, items)

    def test_the_filter_finds_symbols_and_words_of_tasks(self):
        for page in ("documentation/apus/", "documentation/apus/recipes/"):
            self.open(page)
            self.wait(lambda: "Recipes" in self.texts(".navigator-card-item"))
            field = self.find(".navigator-filter input")
            for word in WORDS:
                field.send_keys(Keys.CONTROL, "a")
                field.send_keys(word)
                self.wait(lambda: any(
                    word.lower() in item.lower() for item in self.texts(".navigator-card-item")))

    def test_the_quick_search_leads_to_the_page(self):
        self.open("documentation/apus/")
        self.wait(lambda: "Recipes" in self.texts(".navigator-card-item"))
        self.find("body").send_keys("/")
        field = self.wait(lambda: self.find(".quick-navigation__filter input"))
        for word in WORDS:
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(word)
            self.wait(lambda: any(
                word.lower() in item.lower() for item in self.texts(".quick-navigation__reference")))
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("One row")
        self.wait(lambda: self.texts(".quick-navigation__reference")[0].startswith("One row"))
        field.send_keys(Keys.ENTER)
        self.wait(lambda: self.texts("main h1") == ["Queries"])
        self.assertTrue(self.driver.current_url.endswith("/firstqueries#Getting-rows"))

    def test_a_database_has_what_each_module_adds(self):
        self.open("documentation/apus/database/")
        links = " ".join(self.texts("main .topics a, main .link-block a, main .contenttable a"))
        for name in ("init(path:", "fetch", "insert", "update", "observe", "migrate", "backup"):
            self.assertIn(name, links)

    def test_a_guide_and_a_symbol_link_each_other(self):
        self.open("documentation/apus/models/")
        addresses = self.driver.execute_script(
            "return [...document.querySelectorAll('main a')].map(a => a.pathname.replace(/[/]$/, ''))")
        self.assertIn("/documentation/apus/primarykey", addresses)
        for symbol, guide in (("primarykey", "Models"), ("database/insert(_:)", "Changing rows")):
            self.open(f"documentation/apus/{symbol}/")
            self.assertIn(guide, self.texts("main .mentions a"))

    def test_the_tutorial_names_files_and_marks_what_changed(self):
        for dark in (False, True):
            self.open("documentation/apus/step3/", dark=dark)
            self.assertIn("Sources/reading/Book.swift (changed", self.find("main").text)
            marked = self.texts("main pre .highlighted")
            self.assertIn("@Column var pages: Int", marked)

    def test_a_wide_table_scrolls_in_the_page(self):
        for page in ("performance", "errors", "comingfromgrdb"):
            for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
                with self.subTest(page=page, width=width, dark=dark):
                    self.open(f"documentation/apus/{page}/", width, dark)
                    self.wait(lambda: self.texts("main table"))
                    tables = self.driver.execute_script(
                        "return [...document.querySelectorAll('main .table-wrapper')].map(e => "
                        "[e.scrollWidth > e.clientWidth, getComputedStyle(e).overflowX])")
                    self.assertEqual({style for _, style in tables}, {"auto"})
                    if width == 390:
                        self.assertTrue(any(is_wide for is_wide, _ in tables))
                    self.assertLessEqual(self.driver.execute_script(
                        "return document.documentElement.scrollWidth - innerWidth"), 0)


if __name__ == "__main__":
    SiteTests.site = sys.argv.pop(1)
    unittest.main(verbosity=2)
