"""The board in two windows of Chromium, beside the API and the `sqlite3` shell."""

import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from support import Page, Server, browser, eventually

HOSTILE = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>",
    "\"><svg onload=window.hacked=1>", "' onfocus='window.hacked=1' autofocus='",
    "</textarea><script>window.hacked=1</script>", "&lt;b&gt; &amp; {{7*7}}", "\u202egnp.exe",
]


class BoardTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)
        cls.windows = []
        for _ in range(2):
            driver = browser()
            cls.addClassCleanup(driver.quit)
            cls.windows.append(Page(driver, cls.server).open())

    def setUp(self):
        self.a, self.b = self.windows
        for page in self.windows:
            page.open()

    def tearDown(self):
        for page in self.windows:
            self.assertTrue(page.is_same_document(), "the page was loaded again")
            self.assertEqual(page.errors(), [])

    def test_two_browsers_are_two_people(self):
        names = [Select(page.find("#me")).first_selected_option.text for page in self.windows]
        self.assertEqual(len(set(names)), 2, names)

    def test_an_edit_in_one_window_appears_in_the_other(self):
        add = next(field for field in self.a.all(".add input") if field.is_displayed())
        add.send_keys("Added in A", Keys.ENTER)
        for page in self.windows:
            page.wait_for_card("Added in A", "Ideas")
        self.assertEqual(add.get_attribute("value"), "")

        form = self.a.open_card("Added in A")
        form.find_element(By.NAME, "title").send_keys(" and edited")
        form.find_element(By.NAME, "notes").send_keys("With notes")
        form.find_element(By.NAME, "tags").send_keys("web, from a test")
        Select(form.find_element(By.NAME, "list")).select_by_visible_text("Doing")
        Select(form.find_element(By.NAME, "assignee")).select_by_index(2)
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        self.a.wait_until_closed()
        for page in self.windows:
            card = page.wait_for_card("Added in A and edited", "Doing")
            eventually(
                lambda: page.card("Added in A and edited").text.split("\n")[1:4]
                == ["With notes", "from a test", "web"], "the card shows notes and tags")

        form = self.b.open_card("Added in A and edited")
        form.find_element(By.CSS_SELECTOR, ".danger").click()
        for page in self.windows:
            page.wait_until_gone("Added in A and edited")

    def test_edits_of_the_api_appear_in_both(self):
        status, answer = self.server.api(
            "POST", "/api/cards",
            {"listID": self.server.list_id("To do"), "title": "By the API", "tags": ["api"]})
        self.assertEqual(status, 201)
        for page in self.windows:
            page.wait_for_card("By the API", "To do")
        id = answer["card"]["id"]
        status, answer = self.server.api(
            "PATCH", f"/api/cards/{id}",
            {"title": "Again by the API", "version": answer["card"]["version"]})
        self.assertEqual(status, 200)
        for page in self.windows:
            page.wait_for_card("Again by the API", "To do")
        status, answer = self.server.api(
            "PATCH", f"/api/cards/{id}", {"title": "Too late", "version": 1})
        self.assertEqual((status, answer["error"]["code"]), (409, "conflict"))
        self.assertEqual(self.server.api("DELETE", f"/api/cards/{id}")[0], 204)
        for page in self.windows:
            page.wait_until_gone("Again by the API")

    def test_edits_of_the_shell_appear_in_both(self):
        self.server.shell(
            "INSERT INTO Card (listID, title) SELECT id, 'By the shell' FROM List "
            "WHERE name = 'Review'")
        for page in self.windows:
            page.wait_for_card("By the shell", "Review")
        self.server.shell(
            "UPDATE Card SET title = title || ' <again>', "
            "listID = (SELECT id FROM List WHERE name = 'Done') WHERE title = 'By the shell'")
        for page in self.windows:
            page.wait_for_card("By the shell <again>", "Done")
        self.server.shell("UPDATE List SET name = 'Finished' WHERE name = 'Done'")
        for page in self.windows:
            eventually(lambda: "Finished" in page.lists(), "the list has its new name")
        self.server.shell(
            "UPDATE List SET name = 'Done' WHERE name = 'Finished'; "
            "DELETE FROM Card WHERE title LIKE 'By the shell%'")
        for page in self.windows:
            page.wait_until_gone("By the shell <again>")
            eventually(lambda: "Done" in page.lists(), "the list has its old name")

    def test_unread_cards_are_counted_until_they_are_read(self):
        for page in self.windows:
            for badge in page.all(".badge"):
                if badge.is_displayed():
                    badge.click()
            eventually(lambda: page.run("return document.title") == "Live Board", "all is read")
        card = self.server.card("Calendar view")
        form = self.a.open_card("Calendar view")
        form.find_element(By.NAME, "notes").send_keys("Weeks")
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        eventually(lambda: self.b.unread("Ideas") == 1, "B counts one unread card")
        eventually(
            lambda: self.b.card("Calendar view").get_attribute("data-unread") is not None,
            "B marks the card")
        self.assertEqual(self.b.run("return document.title"), "(1) Live Board")
        self.assertEqual(self.a.unread("Ideas"), 0)
        self.b.open_card("Calendar view")
        eventually(lambda: self.b.unread("Ideas") == 0, "B has read the card")
        self.b.find("dialog .cancel").click()
        self.b.wait_until_closed()
        self.server.shell(f"UPDATE Card SET notes = '' WHERE id = {card['id']}")
        for page in self.windows:
            eventually(lambda: page.unread("Ideas") == 1, "both count the edit of the shell")

    def test_two_editors_of_one_card_get_a_conflict(self):
        forms = [page.open_card("Import from CSV") for page in self.windows]
        forms[0].find_element(By.NAME, "title").send_keys(" by A")
        forms[0].find_element(By.CSS_SELECTOR, ".primary").click()
        self.a.wait_until_closed()
        eventually(
            lambda: "changed just now" in self.b.find(".notice").text, "B is warned")
        forms[1].find_element(By.NAME, "title").send_keys(" by B")
        forms[1].find_element(By.CSS_SELECTOR, ".primary").click()
        conflict = self.b.wait(".conflict")
        self.assertIn("Import from CSV by A", conflict.text)
        self.assertEqual(
            self.b.find("dialog [name=title]").get_attribute("value"), "Import from CSV by B")
        self.assertIsNotNone(self.server.card("Import from CSV by A"))
        self.b.find("dialog .primary").click()
        for page in self.windows:
            page.wait_for_card("Import from CSV by B")
        self.server.shell("UPDATE Card SET title = 'Import from CSV' WHERE title LIKE 'Import%'")

    def test_search_marks_words_and_follows_edits(self):
        self.a.find("#search").send_keys("rel not")
        found = self.a.wait(".found")
        self.assertIn("Write the release notes", found.text)
        marks = [mark.text for mark in self.a.all(".found mark")]
        self.assertIn("release", marks)
        self.server.shell(
            "INSERT INTO Card (listID, title) SELECT id, 'Release a notebook' FROM List LIMIT 1")
        eventually(lambda: len(self.a.all(".found")) == 2, "the new card is found as well")
        self.server.shell("DELETE FROM Card WHERE title = 'Release a notebook'")
        eventually(lambda: len(self.a.all(".found")) == 1, "the card is gone")
        self.a.find("#search").send_keys(Keys.ESCAPE)
        eventually(lambda: self.a.find("#lists").is_displayed(), "the board is back")
        self.a.find("#search").send_keys("\" xyzzy *(")
        eventually(lambda: "No card has" in self.a.find("#results").text, "signs are no syntax")

    def test_a_tag_shows_only_its_cards(self):
        chip = next(chip for chip in self.a.all(".chip") if chip.text.startswith("docs"))
        chip.click()
        eventually(
            lambda: sum(len(self.a.titles(list)) for list in self.a.lists()) == 2,
            "two cards have the tag")
        self.server.shell(
            "INSERT INTO Card (listID, title) SELECT id, 'Without a tag' FROM List LIMIT 1")
        self.b.wait_for_card("Without a tag")
        eventually(lambda: self.a.card("Without a tag") is not None, "A has the card")
        self.assertFalse(self.a.card("Without a tag").is_displayed())
        self.server.shell("DELETE FROM Card WHERE title = 'Without a tag'")
        for page in self.windows:
            page.wait_until_gone("Without a tag")

    def test_everything_works_by_the_keyboard(self):
        page, keys = self.a, ActionChains(self.a.driver)
        focused = lambda: page.run("return document.activeElement.textContent.trim()")
        keys.send_keys("/").perform()
        eventually(lambda: page.run("return document.activeElement.id") == "search", "search")
        keys.send_keys("slow disk").perform()
        page.wait(".found")
        keys.send_keys(Keys.ARROW_DOWN).perform()
        eventually(lambda: focused() == "Measure the start on a slow disk", "the result")
        keys.send_keys(Keys.ENTER).perform()
        page.wait("dialog[open]")
        eventually(lambda: page.run("return document.activeElement.name") == "title", "the title")
        keys.send_keys(Keys.END, "!", Keys.ENTER).perform()
        page.wait_until_closed()
        eventually(lambda: page.find(".found").text.startswith("Measure the start on a slow disk!"),
                   "the result is edited")
        page.find("#search").send_keys(Keys.ESCAPE)
        title = "Measure the start on a slow disk!"
        page.run("arguments[0].querySelector('a').focus()", page.wait_for_card(title, "To do"))
        # Alt and an arrow move the card, and the focus stays with it.
        steps = [(Keys.ARROW_RIGHT, "Doing"), (Keys.ARROW_RIGHT, "Review"), (Keys.ARROW_LEFT, "Doing")]
        for key, list in steps:
            keys.key_down(Keys.ALT).send_keys(key).key_up(Keys.ALT).perform()
            for window in self.windows:
                window.wait_for_card(title, list)
            eventually(lambda: focused() == title, "the focus stays with the card")
        self.assertEqual(page.titles("Doing").index(title), 0)
        keys.key_down(Keys.ALT).send_keys(Keys.ARROW_DOWN).key_up(Keys.ALT).perform()
        for window in self.windows:
            eventually(lambda: window.titles("Doing").index(title) == 1, "the card is one lower")
        # Escape closes the dialog, and the focus returns to the card.
        keys.send_keys(Keys.ENTER).perform()
        page.wait("dialog[open]")
        keys.send_keys(Keys.ESCAPE).perform()
        page.wait_until_closed()
        eventually(lambda: focused() == title, "the focus is on the card again")
        self.server.shell(f"UPDATE Card SET title = rtrim(title, '!') WHERE title = '{title}'")

    def test_undo_takes_back_ones_own_changes(self):
        """A undoes by the keyboard and the button; the edit of B stays."""
        form = self.a.open_card("Search as you type")
        form.find_element(By.NAME, "title").send_keys(" in A")
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        self.a.wait_until_closed()
        form = self.b.open_card("Search as you type in A")
        form.find_element(By.NAME, "notes").clear()
        form.find_element(By.NAME, "notes").send_keys("Notes of B")
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        self.b.wait_until_closed()
        form = self.a.open_card("Search as you type in A")
        form.find_element(By.CSS_SELECTOR, ".danger").click()
        for page in self.windows:
            page.wait_until_gone("Search as you type in A")
        ActionChains(self.a.driver).key_down(Keys.CONTROL).send_keys("z").key_up(
            Keys.CONTROL).perform()
        for page in self.windows:
            page.wait_for_card("Search as you type in A", "Doing")
        self.a.press("#undo")
        for page in self.windows:
            card = page.wait_for_card("Search as you type", "Doing")
            self.assertIn("Notes of B", card.text)
        self.a.press("#redo")
        for page in self.windows:
            page.wait_for_card("Search as you type in A", "Doing")
        # What another edit changed since is not taken back.
        self.server.shell("UPDATE Card SET title = 'Shell' WHERE title = 'Search as you type in A'")
        self.a.wait_for_card("Shell")
        self.a.press("#undo")
        eventually(lambda: "title" in self.a.find("#toast").text, "A sees the reason")
        self.server.shell(
            "UPDATE Card SET title = 'Search as you type', notes = 'Words by their beginnings.' "
            "WHERE title = 'Shell'")

    def test_a_card_is_dragged_to_another_list(self):
        card = self.a.wait_for_card("Offline mode", "Ideas")
        target = self.a.wait_for_card("Two editors, one card", "Done")
        ActionChains(self.a.driver).click_and_hold(card).move_by_offset(12, 8).move_to_element(
            target).move_by_offset(2, 2).release().perform()
        for page in self.windows:
            page.wait_for_card("Offline mode", "Done")

    def test_hostile_texts_show_as_texts(self):
        for text in HOSTILE:
            with self.subTest(text):
                add = next(field for field in self.a.all(".add input") if field.is_displayed())
                add.send_keys(text, Keys.ENTER)
                self.b.wait_for_card(text)
                form = self.a.open_card(text)
                form.find_element(By.NAME, "notes").send_keys(text)
                form.find_element(By.NAME, "tags").send_keys(text[:30])
                form.find_element(By.CSS_SELECTOR, ".primary").click()
                self.a.wait_until_closed()
                eventually(lambda: text[:12] in self.b.card(text).text, "B shows it")
                form = self.b.open_card(text)
                self.assertEqual(form.find_element(By.NAME, "title").get_attribute("value"), text)
                self.assertEqual(form.find_element(By.NAME, "notes").get_attribute("value"), text)
                form.find_element(By.CSS_SELECTOR, ".danger").click()
                for page in self.windows:
                    page.wait_until_gone(text)
                quoted = text.replace("'", "''")
                self.server.shell(f"UPDATE List SET name = '{quoted}' WHERE name = 'Ideas'")
                for page in self.windows:
                    eventually(lambda: text in page.lists(), "the list has the name")
                self.server.shell(f"UPDATE List SET name = 'Ideas' WHERE name = '{quoted}'")
                for page in self.windows:
                    eventually(lambda: "Ideas" in page.lists(), "the list has its name again")
        for page in self.windows:
            self.assertIsNone(page.run("return window.hacked ?? null"))
            self.assertEqual(len(page.all("script")), 1)
            self.assertEqual(page.all("main img, main svg, main script"), [])

    def test_the_pages_recover_when_the_server_is_killed_and_started_again(self):
        list = self.server.list_id("Review")
        self.server.api("POST", "/api/cards", {"listID": list, "title": "Deleted meanwhile"})
        for page in self.windows:
            page.wait_for_card("Deleted meanwhile")
        self.server.kill()
        for page in self.windows:
            eventually(
                lambda: page.find("#status").get_attribute("data-state") == "waiting",
                "the page says that it is not live")
        # An edit while the server is down, and one that the page cannot send.
        self.server.shell(
            "INSERT INTO Card (listID, title) SELECT id, 'While it was down' FROM List "
            "WHERE name = 'Review'; DELETE FROM Card WHERE title = 'Deleted meanwhile'")
        add = next(field for field in self.a.all(".add input") if field.is_displayed())
        add.send_keys("Not lost", Keys.ENTER)
        eventually(lambda: "does not answer" in self.a.find("#toast").text, "A says so")
        self.assertEqual(add.get_attribute("value"), "Not lost")
        self.server.start()
        for page in self.windows:
            page.wait_until_live()
            page.wait_for_card("While it was down", "Review")
            page.wait_until_gone("Deleted meanwhile")
        add.send_keys(Keys.ENTER)
        for page in self.windows:
            page.wait_for_card("Not lost")

    def test_undo_and_redo_work_after_the_server_was_started_again(self):
        form = self.a.open_card("Measure the start on a slow disk")
        form.find_element(By.NAME, "title").send_keys(" in A")
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        self.a.wait_until_closed()
        self.b.wait_for_card("Measure the start on a slow disk in A")
        for restart, button, title in [
            (self.server.kill, "#undo", "Measure the start on a slow disk"),
            (self.server.stop, "#redo", "Measure the start on a slow disk in A"),
        ]:
            restart()
            for page in self.windows:
                eventually(
                    lambda: page.find("#status").get_attribute("data-state") == "waiting",
                    "the page says that it is not live")
            self.server.start()
            for page in self.windows:
                page.wait_until_live()
            self.a.press(button)
            for page in self.windows:
                page.wait_for_card(title)
        self.a.press("#undo")
        self.b.wait_for_card("Measure the start on a slow disk")

    def test_data_that_cannot_be_read_is_reported_until_it_is_repaired(self):
        self.server.shell(
            "UPDATE Tag SET hue = 'infrared' WHERE name = 'search'")
        for page in self.windows:
            eventually(lambda: "Tag.hue" in page.find("#problem").text, "the page says so")
        self.server.shell(
            "UPDATE Tag SET hue = 'blue' WHERE name = 'search'; "
            "UPDATE Card SET title = 'Repaired' WHERE title = 'Prefix index for search'")
        for page in self.windows:
            page.wait_for_card("Repaired", "Done")
            eventually(lambda: not page.find("#problem").is_displayed(), "the problem is over")
        self.server.shell(
            "UPDATE Card SET title = 'Prefix index for search' WHERE title = 'Repaired'")


if __name__ == "__main__":
    unittest.main(verbosity=2)
