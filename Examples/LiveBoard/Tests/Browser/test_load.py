"""Many event streams while others write, and the end of the server."""

import asyncio
import json
import os
import re
import socket
import time
import unittest

from support import PATIENCE, Page, Server, browser

STREAMS = int(os.environ.get("LIVE_BOARD_STREAMS", "200"))
LAZY = STREAMS // 10


class Stream:
    """A client that keeps what `board.js` keeps: the titles of the cards, and the order of the lists."""

    def __init__(self, port):
        self.port = port
        self.cards = {}
        self.orders = {}
        self.events = 0

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=1 << 26)
        self.writer.write(
            f"GET /events HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
        await self.writer.drain()
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head

    async def read(self, is_enough):
        """Reads events until a condition on this client holds. The body has chunks of any size."""
        text = b""
        while not is_enough(self):
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            text += (await self.reader.readexactly(size + 2))[:-2]
            *events, text = text.split(b"\n\n")
            for event in events:
                self.apply(event.decode())

    def apply(self, event):
        lines = dict(line.split(": ", 1) for line in event.split("\n") if ": " in line)
        if lines.get("event") != "board":
            return
        self.events += 1
        change = json.loads(lines["data"])
        if change["isComplete"]:
            self.cards, self.orders = {}, {}
        for id in change["removed"]:
            self.cards.pop(id, None)
        for id, html in change["cards"].items():
            self.cards[id] = re.search(r'card-link"[^>]*>([^<]*)<', html)[1]
        self.orders.update(change["orders"])

    def shown(self):
        return {list: [self.cards[id] for id in order] for list, order in self.orders.items()}


async def post(port, path, value):
    """Sends JSON over a connection of its own, so that many writes run at once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps(value).encode()
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    assert b" 201 " in answer.split(b"\r\n", 1)[0], answer[:300]


class LoadTests(unittest.TestCase):
    def setUp(self):
        self.server = Server().start()
        self.addCleanup(self.server.close)

    def test_no_edit_is_lost_to_any_of_many_streams_and_memory_stays_bounded(self):
        memory = asyncio.run(asyncio.wait_for(self.load(), PATIENCE * 5))
        print(f"\n{STREAMS} streams, MiB of memory: " + ", ".join(
            f"{name} {now:.0f} (at most {most:.0f})" for name, now, most in memory))
        # The rounds are alike, so what a round leaves over would show here three times.
        self.assertLess(memory[-1][1] - memory[2][1], 64)
        self.assertLess(memory[-1][2], 1024)
        seconds = self.server.stop()
        print(f"SIGTERM ended the server in {seconds:.2f} s, with {STREAMS} streams open")
        self.assertLess(seconds, 2)

    async def load(self):
        port, list = self.server.port, self.server.list_id("Ideas")
        memory = [("before", *self.server.memory())]
        streams = [Stream(port) for _ in range(STREAMS)]
        for begin in range(0, STREAMS, 20):
            await asyncio.gather(*(s.connect() for s in streams[begin:begin + 20]))
        memory.append(("connected", *self.server.memory()))
        # Some clients read nothing until the end.
        lazy, eager = streams[:LAZY], streams[LAZY:]
        begin, count, rounds = time.monotonic(), 0, 4
        for round in range(rounds):
            titles = {f"Round {round}, card {number}" for number in range(50)}
            async def write(part):
                for title in sorted(titles)[part::5]:
                    await post(port, "/api/cards", {"listID": list, "title": title, "notes": "x" * 400})
            await asyncio.gather(
                *(write(part) for part in range(5)),
                *(s.read(lambda s: titles <= set(s.cards.values())) for s in eager))
            self.server.shell("DELETE FROM Card WHERE title LIKE 'Round %'")
            await asyncio.gather(*(
                s.read(lambda s: not any(t.startswith("Round") for t in s.cards.values()))
                for s in eager))
            count += 50
            memory.append((f"round {round + 1}", *self.server.memory()))
        await post(port, "/api/cards", {"listID": list, "title": "The end"})
        for part in (eager, lazy):
            await asyncio.gather(*(s.read(lambda s: "The end" in s.cards.values()) for s in part))
        seconds = time.monotonic() - begin
        board = self.server.api("GET", "/api/board")[1]
        stored = {
            str(list["id"]): [c["card"]["title"] for c in board["cards"]
                              if c["card"]["listID"] == list["id"]]
            for list in board["lists"]}
        for stream in streams:
            for list, titles in stream.shown().items():
                self.assertEqual([t.replace("&#39;", "'") for t in titles], stored[list])
        print(f"\n{count} cards to {len(eager)} reading clients in {seconds:.1f} s")
        # They stay open when the server is stopped.
        self.streams = streams
        return memory

    def test_a_stream_ends_when_the_server_is_stopped(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as stream:
            stream.settimeout(PATIENCE)
            stream.sendall(f"GET /events HTTP/1.1\r\nHost: localhost:{self.server.port}\r\n\r\n".encode())
            text = b""
            while b"event: problem" not in text:
                text += stream.recv(1 << 16)
            self.assertLess(self.server.stop(), 2)
            while part := stream.recv(1 << 16):
                text += part
        # The answer is complete, and had no more events.
        self.assertTrue(text.endswith(b"\r\n0\r\n\r\n"), text[-100:])
        self.assertLessEqual(text.count(b"still here"), 1)

    def test_sigterm_ends_the_server_with_a_page_and_lazy_clients(self):
        driver = browser()
        self.addCleanup(driver.quit)
        Page(driver, self.server).open()
        self.assertLess(self.server.stop(), 2)
        # The file is whole, and opens again.
        self.assertEqual(self.server.shell("PRAGMA integrity_check"), "ok")
        self.server.start()
        Page(driver, self.server).open()


if __name__ == "__main__":
    unittest.main(verbosity=2)
