"""What people need that use a phone, the keyboard, a dark screen, or no scripts."""

import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import LOW_CONTRAST, Page, Server, browser, eventually

# Controls without a name for those that do not see them.
NAMELESS = """
return [...document.querySelectorAll('button, input:not([type=hidden]), select, textarea, a, summary, dialog')]
  .filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
    || e.labels?.length || e.textContent.trim()))
  .map((e) => e.outerHTML.slice(0, 120));
"""


class AccessTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)

    def page(self, **options):
        driver = browser(**options)
        self.addCleanup(driver.quit)
        return Page(driver, self.server)

    def assert_fits(self, page):
        widths = page.run(
            "const root = document.documentElement; return [root.scrollWidth, root.clientWidth]")
        self.assertLessEqual(widths[0], widths[1])

    def test_a_phone_scrolls_in_one_direction_only(self):
        word = "Donaudampfschifffahrtsgesellschaft" * 4
        self.server.api(
            "POST", "/api/cards", {
                "listID": self.server.list_id("Ideas"), "title": word, "notes": word,
                "tags": [word[:30]]})
        for width in (320, 390):
            page = self.page(width=width, height=740).open()
            page.wait_for_card(word)
            self.assert_fits(page)
            page.open_card(word)
            self.assert_fits(page)
            page.find("dialog .cancel").click()
            page.wait_until_closed()
            page.find("#search").send_keys("Donau")
            page.wait(".found")
            self.assert_fits(page)
            page.driver.get(self.server.url + "/cards/7")
            self.assert_fits(page)

    def test_every_text_has_enough_contrast_in_light_and_dark(self):
        for dark in (False, True):
            page = self.page(dark=dark).open()
            self.assertEqual(page.run(LOW_CONTRAST, "body *"), [])
            page.open_card("Offline mode")
            self.assertEqual(page.run(LOW_CONTRAST, "dialog *"), [])

    def test_every_control_has_a_name(self):
        page = self.page().open()
        self.assertEqual(page.run(NAMELESS), [])
        page.open_card("Offline mode")
        self.assertEqual(page.run(NAMELESS), [])
        levels = page.run(
            "return [...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
        self.assertEqual(levels.count("H1"), 1)
        self.assertEqual(levels[0], "H1")

    def test_movement_stops_where_it_is_not_wanted(self):
        page = self.page(calm=True).open()
        self.server.shell(
            "UPDATE Card SET listID = (SELECT id FROM List WHERE name = 'Done') "
            "WHERE title = 'Calendar view'")
        page.wait_for_card("Calendar view", "Done")
        moving = page.run(
            "return document.getAnimations().filter((a) => a.effect.getTiming().duration > 1).length")
        self.assertEqual(moving, 0)

    def test_the_board_works_without_scripts(self):
        page = self.page(scripts=False)
        page.driver.get(self.server.url)
        add = page.find(".add input")
        add.send_keys("Without scripts", Keys.ENTER)
        titles = lambda: [link.text for link in page.all(".card .card-link")]
        eventually(lambda: "Without scripts" in titles(), "the card is there")
        next(link for link in page.all(".card .card-link") if link.text == "Without scripts").click()
        notes = page.wait("textarea")
        notes.send_keys("Edited")
        page.find(".primary").click()
        eventually(
            lambda: any("Edited" in notes.text for notes in page.all(".card .notes")),
            "the notes are there")
        page.find("#search").send_keys("without", Keys.ENTER)
        eventually(lambda: len(page.all(".found")) == 1, "the card is found")
        page.find(".brand").click()
        page.wait("#undo").click()
        eventually(lambda: "Without scripts" in titles(), "the board is there again")
        self.assertFalse(any("Edited" in notes.text for notes in page.all(".card .notes")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
