"""Puts load on the two services in turn, and prints the figures. See `run`."""

import argparse
import os
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/Service/README.md")
ORDERS = 10_000
STREAMS = 200
CONNECTIONS = 32

READ = 'request = function() local n = math.random(10) if n <= 2 then return wrk.format("GET", "/orders") ' \
    'end return wrk.format("GET", "/orders/" .. math.random({orders})) end'
WRITE_BODY = '\'{{"customer":"C\' .. math.random(1000000) .. \'","item":"Seeds","quantity":1}}\''
WRITE = 'request = function() return wrk.format("POST", "/orders", ' \
    '{{["Content-Type"]="application/json"}}, ' + WRITE_BODY + ') end'
MIX = 'request = function() local n = math.random(10) if n == 1 then return wrk.format("POST", "/orders", ' \
    '{{["Content-Type"]="application/json"}}, ' + WRITE_BODY + ') ' \
    'elseif n == 2 then return wrk.format("GET", "/orders") end ' \
    'return wrk.format("GET", "/orders/" .. math.random({orders})) end'
LOADS = [("reads", READ, 0), ("writes", WRITE, 0), (f"mix, {STREAMS} streams", MIX, STREAMS)]


class Streams(threading.Thread):
    """Clients that follow the events, and count what they receive."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.sockets = []
        self.bytes = 0
        self.events = 0
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port))
            client.sendall(b"GET /orders/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.setblocking(False)
            self.sockets.append(client)

    def run(self):
        import select
        poll = select.epoll()
        by_number = {client.fileno(): client for client in self.sockets}
        for number in by_number:
            poll.register(number, select.EPOLLIN)
        while by_number:
            for number, _ in poll.poll():
                try:
                    data = by_number[number].recv(1 << 16)
                except OSError:
                    data = b""
                if not data:
                    poll.unregister(number)
                    by_number.pop(number).close()
                self.bytes += len(data)
                self.events += data.count(b"\nevent: ")


def fill(path):
    connection = sqlite3.connect(path)
    now = int(time.time() * 1e6)
    with connection:
        connection.executemany(
            'INSERT INTO "Order" (id, customer, state, details, placedAt) VALUES (?, ?, ?, ?, ?)',
            ((number, f"Customer {number}", "packed",
              '{"isGift":false,"item":"Nesting box","quantity":2}', now - number * 1000)
             for number in range(1, ORDERS + 1)))
    connection.close()


def milliseconds(text):
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def measure(name, program, migrate, script, streams, seconds):
    """Serves a new file, puts one load on it, and returns the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "orders.sqlite")
        subprocess.run([migrate, "migrate", path], check=True, stderr=subprocess.DEVNULL)
        fill(path)
        command = [program, "serve", path, "0"] if name == "Apus" else [program, path]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(server.stdout.readline().split()[-1])
            lua = os.path.join(folder, "load.lua")
            with open(lua, "w") as file:
                file.write(script.format(orders=ORDERS))
            clients = Streams(port, streams) if streams else None
            if clients:
                clients.start()
            output = subprocess.run(
                # A slow answer is one of the figures, and no failure.
                ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s", "--latency",
                 "-s", lua, f"http://127.0.0.1:{port}"], check=True, capture_output=True, text=True).stdout
            if "Non-2xx" in output or "Socket errors" in output:
                sys.exit(f"{name}: some requests failed\n{output}")
            with open(f"/proc/{server.pid}/status") as status:
                memory = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1024
            begin = time.monotonic()
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)
            return {
                "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
                "p50": milliseconds(re.search(r"\n +50% +(\S+)", output)[1]),
                "p99": milliseconds(re.search(r"\n +99% +(\S+)", output)[1]),
                "events": clients.events / streams / seconds if streams else 0,
                "memory": memory,
                "end": time.monotonic() - begin,
            }
        finally:
            if server.poll() is None:
                server.kill()


def machine(options):
    """Returns a sentence about the run."""
    commit = subprocess.run(["git", "-C", os.path.dirname(README), "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", swift)
    rounds = "one round" if options.rounds == 1 else f"{options.rounds} rounds"
    return (f"Medians of {rounds} of {options.seconds} s for each load, on one machine with "
            f"{os.cpu_count()} cores, which wrk and its {CONNECTIONS} connections share; at {commit}, in release"
            + (f" with Swift {version[1]}" if version else "") + ".")


def write(options, lines):
    """Writes the table into the README, between its two comments."""
    with open(README, encoding="utf-8") as file:
        text = file.read()
    table = "\n".join([*textwrap.wrap(machine(options), 100), "", *lines])
    made, count = re.subn(r"(<!-- load -->\n).*?(<!-- end -->)",
                          lambda match: match[1] + table + "\n" + match[2], text, flags=re.S)
    if count != 1:
        sys.exit(f"{README} has no place for the table")
    with open(README, "w", encoding="utf-8") as file:
        file.write(made)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("apus")
    parser.add_argument("grdb")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--load", default="", help="only the loads whose name contains this")
    parser.add_argument("--write", action="store_true", help="write the table into the README")
    options = parser.parse_args()
    if options.write and (options.only or options.load):
        parser.error("only a whole table is written")
    sides = [("Apus", options.apus)] + ([("GRDB", options.grdb)] if options.grdb else [])
    lines = []

    def show(line):
        lines.append(line)
        print(line, flush=True)

    show("| Load | Side | Requests/s | p50 ms | p99 ms | Events/s for each stream | MiB | End s |")
    show("|---|---|--:|--:|--:|--:|--:|--:|")
    for title, script, streams in LOADS:
        if options.load not in title:
            continue
        results = {name: [] for name, _ in sides}
        # In turn, so that a slower moment of the machine meets both.
        for _ in range(options.rounds):
            for name, program in sides:
                results[name].append(
                    measure(name, program, options.apus, script, streams, options.seconds))
        for name, _ in sides:
            figure = {key: statistics.median(result[key] for result in results[name])
                      for key in results[name][0]}
            events = f"{figure['events']:.1f}" if streams else ""
            show(f"| {title} | {name} | {figure['rate']:,.0f} | {figure['p50']:.2f} | "
                 f"{figure['p99']:.2f} | {events} | {figure['memory']:.0f} | {figure['end']:.2f} |")
    if options.write:
        write(options, lines)


main()
