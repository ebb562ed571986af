"""What a person meets who uses the board: at 1280 pixels and on a phone, in light and dark."""

import datetime
import functools
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import LOW_CONTRAST, Page, Server, browser, eventually, show

VIEWS = [(1280, 800, False), (1280, 800, True), (390, 780, False), (390, 780, True)]

# What a finger touches in less than 44 pixels. A link in a card or a result is as large as that is.
SMALL = """
return [...document.querySelectorAll('a:not(.skip), button, input:not([type=hidden]), select, textarea')]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }))
  .map((e) => [e, (e.closest('.card, .found') ?? e).getBoundingClientRect()])
  .filter(([e, box]) => box.width < 44 || box.height < 44)
  .map(([e, box]) => `${e.outerHTML.slice(0, 80)} ${box.width} × ${box.height}`);
"""


def box(page, selector):
    """The place of an element in the window."""
    return page.run("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)


def in_each_view(test):
    """Runs a test on a new board in each size and scheme, in a browser that nobody used before."""
    @functools.wraps(test)
    def run(self):
        for width, height, dark in VIEWS:
            with self.subTest(f"{width} pixels, {'dark' if dark else 'light'}"):
                server = Server().start()
                try:
                    show(self.driver, width, height, dark, calm=True)
                    page = Page(self.driver, server).open()
                    page.width, page.height = width, height
                    test(self, page)
                    self.assertEqual(page.errors(), [])
                finally:
                    self.driver.get("about:blank")
                    server.close()
    return run


class UseTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)

    def assert_legible(self, page, what="body *"):
        self.assertEqual(page.run(LOW_CONTRAST, what), [])

    def assert_fits(self, page):
        wide, inner = page.run(
            "const root = document.documentElement; return [root.scrollWidth, root.clientWidth]")
        self.assertLessEqual(wide, inner)
        if page.width < 600:
            self.assertEqual(page.run(SMALL), [])

    def type(self, page, selector, *keys):
        page.wait(selector).send_keys(*keys)

    def value(self, page, selector):
        return page.wait(selector).get_attribute("value")

    @in_each_view
    def test_lists_are_one_row_and_each_scrolls_under_its_name(self, page):
        page.server.shell(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 205) "
            "INSERT INTO Card (listID, title, position) SELECT (SELECT id FROM List WHERE name = "
            "'Doing'), 'Card ' || i, i + 10 FROM n; INSERT INTO List (name, position) "
            "VALUES ('Later', 6), ('Never', 7), ('Long ago', 8)")
        page.wait_for_card("Card 205")
        eventually(lambda: "Long ago" in page.lists(), "the last list is there")
        self.assert_fits(page)
        rows = page.run(
            "return [...document.querySelectorAll('.list h2')].map((h) => h.getBoundingClientRect().top)")
        self.assertEqual((len(rows), len(set(rows))), (8, 1), rows)
        wide, inner, high, window = page.run(
            "const lists = document.querySelector('#lists'); return [lists.scrollWidth, "
            "lists.clientWidth, document.documentElement.scrollHeight, innerHeight]")
        self.assertGreater(wide, inner)
        self.assertLessEqual(high, window * (1 if page.width > 600 else 3))
        # The last card is reached, and the name of its list stays where it was.
        page.run("arguments[0].scrollIntoView({ block: 'nearest' })", page.card("Card 205"))
        card, name = page.run(
            "const card = arguments[0]; return [card, card.closest('.list').querySelector('h2')]"
            ".map((e) => e.getBoundingClientRect().toJSON())", page.card("Card 205"))
        self.assertTrue(0 <= name["top"] < card["top"] < card["bottom"] <= page.height + 1, (name, card))
        # So is the last list.
        last = page.all(".list h2")[-1]
        page.run("arguments[0].closest('.list').scrollIntoView({ inline: 'start' })", last)
        self.assertLessEqual(page.run("return arguments[0].getBoundingClientRect().right", last), page.width)

    @in_each_view
    def test_five_lists_share_the_width_of_a_small_screen(self, page):
        if page.width < 600:
            return
        wide, inner = page.run(
            "const lists = document.querySelector('#lists'); return [lists.scrollWidth, lists.clientWidth]")
        self.assertEqual((len(page.lists()), wide), (5, inner))

    @in_each_view
    def test_a_typed_text_is_a_draft_until_it_is_saved(self, page):
        def leave_by_escape():
            ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()

        def leave_by_a_click_beside():
            actions = ActionBuilder(page.driver)
            actions.pointer_action.move_to_location(3, 3).click()
            actions.perform()

        for leave in (leave_by_escape, leave_by_a_click_beside):
            page.open_card("Calendar view")
            self.type(page, "#f-notes", " typed")
            leave()
            page.wait_until_closed()
            page.wait_for_text("#toast", "kept as a draft")
            self.assert_legible(page)
            self.assert_fits(page)
            eventually(
                lambda: page.card("Calendar view").get_attribute("data-draft") is not None,
                "the card shows that it has a draft")
            page.press("#toast button")
            eventually(lambda: "typed" in self.value(page, "#f-notes"), "the draft is there again")
            leave_by_escape()
            page.wait_until_closed()
        # The draft outlasts the page.
        page.open()
        page.open_card("Calendar view")
        self.assertEqual(self.value(page, "#f-notes"), " typed typed")
        self.assertIn("draft", page.wait(".draft-note").text)
        self.assert_legible(page, "dialog *")
        self.assert_fits(page)
        # Cancel discards, and says so.
        page.find("dialog .cancel").click()
        page.wait_until_closed()
        page.wait_for_text("#toast", "not saved")
        page.press("#toast button")
        eventually(lambda: "typed" in self.value(page, "#f-notes"), "the text is restored")
        # Control and Enter save.
        self.type(page, "#f-notes", Keys.CONTROL, Keys.ENTER)
        page.wait_until_closed()
        eventually(lambda: page.server.card("Calendar view")["notes"] == " typed typed", "it is saved")
        page.open_card("Calendar view")
        self.assertFalse(page.find(".draft-note").is_displayed())
        leave_by_escape()
        page.wait_until_closed()
        self.assertIsNone(page.card("Calendar view").get_attribute("data-draft"))

    @in_each_view
    def test_a_draft_of_an_older_version_gets_both_texts(self, page):
        page.open_card("Offline mode")
        self.type(page, "#f-notes", Keys.CONTROL, Keys.END, Keys.NULL, " Mine.")
        ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
        page.wait_until_closed()
        page.server.shell("UPDATE Card SET notes = 'Theirs.' WHERE title = 'Offline mode'")
        eventually(lambda: "Theirs." in page.card("Offline mode").text, "the edit is shown")
        page.open_card("Offline mode")
        page.wait_for_text(".notice", "changed just now")
        page.find("dialog .primary").click()
        page.wait_for_text(".conflict", "Theirs.")
        self.assertIn("Mine.", self.value(page, "#f-notes"))
        self.assert_legible(page, "dialog *")
        self.assert_fits(page)
        page.find("dialog .primary").click()
        page.wait_until_closed()
        eventually(lambda: "Mine." in page.server.card("Offline mode")["notes"], "it is saved")

    @in_each_view
    def test_the_text_for_a_card_that_was_deleted_becomes_a_new_card(self, page):
        page.open_card("Import from CSV")
        self.type(page, "#f-title", " and JSON")
        page.server.shell("DELETE FROM Card WHERE title = 'Import from CSV'")
        page.wait_for_text(".notice", "deleted just now")
        self.assert_legible(page, "dialog *")
        page.find("dialog .primary").click()
        page.wait_until_closed()
        card = page.wait_for_card("Import from CSV and JSON", "Ideas")
        eventually(lambda: "One row a card" in card.text, "the notes are there, too")

    @in_each_view
    def test_the_fields_that_add_keep_their_texts(self, page):
        for selector in (".add input", "#new-list"):
            self.type(page, selector, "half a th")
        page.open()
        for selector in (".add input", "#new-list"):
            self.assertEqual(self.value(page, selector), "half a th")
        self.type(page, ".add input", "ought", Keys.ENTER)
        page.wait_for_card("half a thought", "Ideas")
        page.open()
        self.assertEqual(self.value(page, ".add input"), "")

    @in_each_view
    def test_a_deletion_can_be_undone_where_it_is_reported(self, page):
        before = page.titles("Ideas")
        page.open_card(before[0])
        page.find("dialog .danger").click()
        page.wait_until_closed()
        page.wait_until_gone(before[0])
        page.wait_for_text("#toast", f"Deleted “{before[0]}”.")
        eventually(lambda: page.focused() == before[1], "the focus is on the next card")
        self.assert_legible(page)
        self.assert_fits(page)
        page.press("#toast button")
        eventually(lambda: page.titles("Ideas") == before, "the card is back in its place")
        page.wait_for_text("#toast", f"You restored “{before[0]}”.")
        # Another edit in between stays.
        cards = page.titles("Doing")
        page.find(".list:nth-of-type(3) .menu").click()
        page.wait(".menu-body .danger").click()
        eventually(lambda: page.titles("Doing") is None, "the list is gone")
        page.wait_for_text("#toast", "Deleted the list “Doing”.")
        eventually(lambda: page.focused() == "Review", "the focus is at the next list")
        page.server.api(
            "POST", "/api/cards", {"listID": page.server.list_id("Done"), "title": "In between"})
        page.press("#toast button")
        eventually(lambda: page.titles("Doing") == cards, "the list is back with its cards")
        page.wait_for_text("#toast", f"You restored the list “Doing” with {len(cards)} cards.")
        self.assertIn("Doing", page.lists()[2])
        page.wait_for_card("In between")

    @in_each_view
    def test_undo_and_redo_can_be_pressed_if_there_is_something(self, page):
        states = lambda: [page.find(id).is_enabled() for id in ("#undo", "#redo")]
        self.assertEqual(states(), [False, False])
        self.assert_legible(page)
        page.run("document.activeElement.blur()")
        ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
        page.wait_for_text("#toast", "There is nothing to undo.")
        # An edit of another program is no step of a person.
        page.server.shell("UPDATE Card SET notes = 'By another' WHERE title = 'Calendar view'")
        eventually(lambda: "By another" in page.card("Calendar view").text, "the edit is shown")
        self.assertEqual(states(), [False, False])
        page.open_card("Calendar view")
        self.type(page, "#f-title", " of weeks", Keys.ENTER)
        eventually(lambda: states() == [True, False], "there is something to undo")
        page.press("#undo")
        page.wait_for_text("#toast", "You renamed “Calendar view of weeks” back to “Calendar view”.")
        eventually(lambda: states() == [False, True], "there is something to redo")
        page.open()
        self.assertEqual(states(), [False, True])
        page.press("#redo")
        eventually(lambda: states() == [True, False], "it was redone")
        page.server.shell("UPDATE Card SET title = 'Weeks' WHERE title = 'Calendar view of weeks'")
        page.wait_for_card("Weeks")
        page.press("#undo")
        page.wait_for_text(
            "#toast", "Your change of “Weeks” cannot be undone, because its title changed since.")

    @in_each_view
    def test_the_activity_says_what_happened_and_when(self, page):
        page.open_card("Calendar view")
        page.find("dialog .danger").click()
        page.wait_until_gone("Calendar view")
        page.press("#undo")
        page.wait_for_card("Calendar view")
        person = page.run("return document.querySelector('#me').selectedOptions[0].text")
        page.wait_for_text("#activity li", f"{person} restored “Calendar view” · ")
        self.assertRegex(page.find("#activity time").text, r"\A(just now|\d+ min ago)\Z")
        stamp = page.find("#activity time").get_attribute("datetime")
        then = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
        age = datetime.datetime.now(datetime.timezone.utc) - then
        self.assertLess(abs(age), datetime.timedelta(minutes=45))
        page.press("#redo")
        page.wait_for_text("#activity li", f"{person} removed “Calendar view” again")
        self.assert_legible(page, "#activity *")

    @in_each_view
    def test_a_search_says_how_many_cards_there_are(self, page):
        page.server.shell(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 111) "
            "INSERT INTO Card (listID, title) SELECT (SELECT min(id) FROM List), 'Needle ' || i FROM n")
        self.type(page, "#search", "needle")
        page.wait_for_text("#results h2", "The best 50 of 111 cards with “needle”")
        self.assertEqual(len(page.all(".found")), 50)
        self.assert_legible(page)
        self.assert_fits(page)
        page.server.shell("DELETE FROM Card WHERE title LIKE 'Needle %' AND title <> 'Needle 7'")
        page.wait_for_text("#results h2", "1 card has “needle”")

    @in_each_view
    def test_a_tag_counts_what_it_hides(self, page):
        counts = lambda: [
            count.get_attribute("textContent") for count in page.all(".count .number")]
        all = counts()
        page.run("[...document.querySelectorAll('.chip')].find((c) => c.textContent === 'docs').click()")
        chosen = ["0 of 3", "1 of 3", "0 of 2", "1 of 2", "0 of 2"]
        self.assertEqual(counts(), chosen)
        self.assert_legible(page)
        self.assert_fits(page)
        # The page of the server counts alike.
        page.open("/?tag=" + page.run("return document.querySelector('.chip[aria-current]').dataset.tag"))
        self.assertEqual(counts(), chosen)
        self.type(page, ".add input", "Without a tag", Keys.ENTER)
        page.wait_for_text("#toast", "Added “Without a tag”, which the tag “docs” hides.")
        eventually(lambda: counts()[0] == "0 of 4", "it is counted")
        self.assertFalse(page.wait_for_card("Without a tag").is_displayed())
        page.press("#toast button")
        eventually(lambda: page.card("Without a tag").is_displayed(), "it is shown")
        self.assertEqual(counts(), ["4", *all[1:]])

    @in_each_view
    def test_an_empty_board_says_what_to_do_first(self, page):
        page.server.shell("PRAGMA foreign_keys = ON; DELETE FROM List")
        self.assertIn("This board is empty", page.wait(".empty-board").text)
        self.assertLess(box(page, "#new-list")["bottom"], page.height / 2)
        self.assert_legible(page)
        self.assert_fits(page)
        self.type(page, "#new-list", "To do", Keys.ENTER)
        eventually(lambda: page.lists() == ["To do"], "the list is there")
        self.assertFalse(page.find(".empty-board").is_displayed())
        self.type(page, ".add input", "The first card", Keys.ENTER)
        page.wait_for_card("The first card", "To do")

    @in_each_view
    def test_one_menu_is_open_and_stays_in_the_window(self, page):
        menus = page.all(".menu")
        for number, menu in enumerate(menus):
            page.run("arguments[0].scrollIntoView({ inline: 'nearest' })", menu)
            menu.click()
            place = eventually(
                lambda: page.run(
                    "const open = document.querySelectorAll('.menu-body:popover-open');"
                    "return open.length === 1 && open[0].getBoundingClientRect().toJSON()"),
                "one menu is open")
            self.assertGreaterEqual(min(place["left"], place["top"]), 0)
            self.assertLessEqual(place["right"], page.width)
            self.assertLessEqual(place["bottom"], page.height)
            self.assert_legible(page, ".menu-body *")
            self.assert_fits(page)
            is_closed = lambda: not page.all(".menu-body:popover-open")
            if number == 0:
                ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
                eventually(is_closed, "Escape closes the menu")
            elif number == 1:
                page.find("#status").click()
                eventually(is_closed, "a click beside it closes the menu")
        page.find("#status").click()

    @in_each_view
    def test_touch_targets_are_large_enough(self, page):
        self.assert_fits(page)
        self.assert_legible(page)
        page.open_card("Calendar view")
        self.assert_fits(page)

    @in_each_view
    def test_control_and_enter_save_once(self, page):
        self.type(page, ".add input", "By control", Keys.CONTROL, Keys.ENTER, Keys.ENTER)
        page.wait_for_card("By control", "Ideas")
        page.open_card("By control")
        self.type(page, "#f-notes", "Two", Keys.ENTER, "lines", Keys.CONTROL, Keys.ENTER)
        page.wait_until_closed()
        eventually(lambda: page.server.card("By control")["notes"] == "Two\nlines", "it is saved")
        titles = [card["title"] for card in page.server.api("GET", "/api/cards")[1]]
        self.assertEqual(titles.count("By control"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
