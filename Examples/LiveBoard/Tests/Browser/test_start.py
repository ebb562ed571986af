"""The beginning: what `run` shows while it builds, and why the server does not start."""

import os
import subprocess
import tempfile
import unittest

from support import PATIENCE, PROGRAM, Server

RUN = os.path.join(os.path.dirname(__file__), "..", "..", "run")

# A compiler that says what it does, and goes on once it was seen.
COMPILER = """#!/bin/sh
case "$*" in
--version) echo "Swift version 6.3" ;;
*--show-bin-path) echo /built ;;
*) echo "[1/2] Compiling Apus"; read -r _ <"$SEEN"; echo "[2/2] Linking LiveBoard" ;;
esac
"""


def start(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE,
        stdin=subprocess.DEVNULL)


class StartTests(unittest.TestCase):
    def assert_ends(self, ended, line):
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (1, "", f"LiveBoard: {line}\n"))

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="live-board-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_port_in_use_is_named_with_the_option_in_one_line(self):
        server = Server().start()
        self.addCleanup(server.close)
        for path in (server.path, os.path.join(self.folder, "other.sqlite")):
            self.assert_ends(
                start(path, "--port", str(server.port)),
                f"the port {server.port} is in use, perhaps by another board; "
                "choose another one with --port NUMBER")
        self.assertEqual(server.api("GET", "/api/lists")[0], 200)

    def test_a_file_that_cannot_be_a_board_is_named_in_one_line(self):
        path = os.path.join(self.folder, "text.txt")
        with open(path, "w") as file:
            file.write("Not a database\n" * 100)
        self.assert_ends(start(path, "--port", "0"), f"{path} is not an SQLite database")
        with open(path) as file:
            self.assertEqual(file.read(), "Not a database\n" * 100)
        for path in (self.folder, os.path.join(self.folder, "missing", "board.sqlite")):
            ended = start(path, "--port", "0")
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertRegex(ended.stderr, rf"\ALiveBoard: {path}: [^\n]+\n\Z")

    def test_help_shows_the_options_and_a_wrong_option_refers_to_it(self):
        for option in ("--help", "-h"):
            ended = start(option)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
            self.assertIn("--port NUMBER", ended.stdout)
        self.assert_ends(start("--prot", "1"), "there is no option --prot; see --help")

    def test_the_first_build_shows_the_progress_of_the_compiler(self):
        seen, compiler = (os.path.join(self.folder, name) for name in ("seen", "swift"))
        os.mkfifo(seen)
        with open(compiler, "w") as file:
            file.write(COMPILER)
        os.chmod(compiler, 0o755)
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SEEN": seen}
        with subprocess.Popen(
            [RUN, "--build"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment,
        ) as build:
            line = build.stderr.readline()
            self.assertIn("the first time takes several minutes", line)
            # The compiler waits until this line was read.
            self.assertEqual(build.stderr.readline(), "[1/2] Compiling Apus\n")
            with open(seen, "w") as file:
                file.write("seen\n")
            self.assertEqual(build.stderr.read(), "[2/2] Linking LiveBoard\n")
            self.assertEqual(build.stdout.read(), "/built/LiveBoard\n")
        self.assertEqual(build.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
