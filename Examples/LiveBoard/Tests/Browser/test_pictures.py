"""Takes the pictures of the README and records the board in two windows, in light and dark.

`LIVE_BOARD_PICTURES` names the folder; without it, the pictures are made and thrown away.
"""

import os
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from studio import Studio
from support import Page, Server, browser, eventually


class PictureTests(unittest.TestCase):
    def start(self, dark, *sizes):
        server = Server().start()
        self.addCleanup(server.close)
        pages = []
        for width, height in sizes:
            driver = browser(width=width, height=height, dark=dark)
            self.addCleanup(driver.quit)
            pages.append(Page(driver, server).open())
        studio = Studio()
        self.addCleanup(studio.close)
        return server, pages, studio

    def keep(self, name, dark, data, most):
        self.assertEqual(data[:4] + data[8:12], b"RIFFWEBP")
        self.assertLess(len(data), most)
        folder = os.environ.get("LIVE_BOARD_PICTURES")
        if folder:
            with open(os.path.join(folder, f"{name}{'-dark' if dark else ''}.webp"), "wb") as file:
                file.write(data)

    def test_picture(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                self.take_picture(dark)

    def take_picture(self, dark):
        server, pages, studio = self.start(dark, (1280, 720), (1280, 720))
        people = {p["name"]: p["id"] for p in server.api("GET", "/api/board")[1]["people"]}
        edits = [
            ("Alan Turing", "Write the release notes", {"notes": "Two sentences each, until Friday."}),
            ("Radia Perlman", "Calendar view", {"tags": ["design", "idea"]}),
            ("Alan Turing", "Two editors, one card", {"title": "Two editors of one card"}),
        ]
        for name, title, edit in edits:
            card = server.card(title)
            server.api(
                "PATCH", f"/api/cards/{card['id']}", {**edit, "version": card["version"]},
                people[name])
        server.api(
            "POST", f"/api/cards/{server.card('Contrast of the tags in dark mode')['id']}/move",
            {"listID": server.list_id("Review")}, people["Radia Perlman"])
        form = pages[1].open_card("Search as you type")
        form.find_element(By.NAME, "title").send_keys(", with marks")
        form.find_element(By.CSS_SELECTOR, ".primary").click()
        pages[1].wait_until_closed()
        server.shell(
            "INSERT INTO Card (listID, title, position) SELECT id, 'Added with sqlite3', 9 "
            "FROM List WHERE name = 'Review'")
        pages[0].wait_for_card("Added with sqlite3", "Review")
        pages[0].wait_for_card("Search as you type, with marks")
        pages[0].wait_for_text("#activity", "Added with sqlite3")
        eventually(
            lambda: pages[0].run("return document.getAnimations().length") == 0, "all is still")
        self.keep("live-board", dark, studio.picture(pages[0].driver.get_screenshot_as_base64()), 160_000)

    def test_recording(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                self.record(dark)

    def record(self, dark):
        """Ada adds a card, Grace moves it, and the shell renames it."""
        server, pages, studio = self.start(dark, (1040, 400), (1040, 400))
        ada, grace = pages
        caption = ""

        def shoot(milliseconds, moving=False):
            windows = [page.driver.get_screenshot_as_base64() for page in pages]
            studio.add(windows, caption, milliseconds, dark, moving)

        def animate(rate):
            for page in pages:
                page.driver.execute_cdp_cmd("Animation.setPlaybackRate", {"playbackRate": rate})

        def shoot_movement(begins, seconds, slow=0.05, step=0.06):
            """Takes pictures while cards move, which they do slowly meanwhile."""
            animate(slow)
            begins()
            start = time.monotonic()
            for number in range(round(seconds / step)):
                while time.monotonic() < start + number * step / slow:
                    time.sleep(0.02)
                shoot(step * 1000, moving=True)
            animate(1)
            eventually(
                lambda: all(page.run("return document.getAnimations().length") == 0 for page in pages),
                "all is still")

        for page in pages:
            page.driver.execute_cdp_cmd("Animation.enable", {})
        caption = "Two windows of one board"
        shoot(1500)
        caption = "Ada adds a card …"
        field = ada.all(".add input")[1]
        field.click()
        for part in ("Order ", "the ", "cake"):
            field.send_keys(part)
            shoot(220)
        def add():
            field.send_keys(Keys.ENTER)
            for page in pages:
                page.wait_for_card("Order the cake", "To do")
        shoot_movement(add, 0.12)
        shoot(900)
        caption = "… and Grace moves it to Doing"
        grace.run("arguments[0].querySelector('a').focus()", grace.card("Order the cake"))
        shoot(500)
        def move():
            ActionChains(grace.driver).key_down(Keys.ALT).send_keys(Keys.ARROW_RIGHT).key_up(
                Keys.ALT).perform()
            for page in pages:
                page.wait_for_card("Order the cake", "Doing")
        shoot_movement(move, 0.36)
        shoot(900)
        caption = "$ sqlite3 board.sqlite \"UPDATE Card SET title = 'Bake the cake' WHERE title LIKE '%cake'\""
        shoot(900)
        def rename():
            server.shell("UPDATE Card SET title = 'Bake the cake' WHERE title LIKE '%cake'")
            for page in pages:
                page.wait_for_card("Bake the cake", "Doing")
        shoot_movement(rename, 0.12)
        shoot(2500)
        if os.environ.get("LIVE_BOARD_FRAMES"):
            print([(f["width"], f["height"], len(f["data"]), round(f["duration"])) for f in studio.frames])
        self.assertLess(sum(frame["duration"] for frame in studio.frames), 20_000)
        self.keep("live-board-windows", dark, studio.recording(), 900_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
