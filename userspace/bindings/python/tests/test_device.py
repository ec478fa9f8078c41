# SPDX-License-Identifier: MIT
"""What the fake device of the library's tests can show; check.sh preloads it."""

import asyncio
import errno
import os
import signal
import threading
import time
import unittest
from typing import Any, List

import kuid


def change(field: str, value: int) -> None:
    """Set a field of the fake kernel."""
    path = os.environ["FAKE"] + "/device"
    with open(path + ".new", "w") as file:
        print(field, value, file=file)
    os.rename(path + ".new", path)


class DeviceTest(unittest.TestCase):
    def setUp(self) -> None:
        os.environ.pop("FAKE_OPEN", None)
        change("waiting", 0)
        # A process that hangs in a call can't notice that itself.
        signal.alarm(60)
        self.ids = kuid.Generator("device")

    def test_one_descriptor_serves_all_formats(self) -> None:
        self.ids.uuid7()
        os.environ["FAKE_OPEN"] = str(errno.ENOENT)
        for name in "uuid1", "uuid6", "uuid7", "lex", "k64", "k96", "k128", "snowflake":
            getattr(self.ids, name)()
        with self.assertRaises(OSError):
            kuid.Generator("device").uuid7()

    def test_a_call_need_not_wait(self) -> None:
        self.ids.uuid7()
        change("waiting", 1)
        calls: List[Any] = [self.ids.uuid7, self.ids.uuid1, self.ids.k64]
        for call in calls:
            with self.assertRaises(BlockingIOError):
                call(wait=False)
        with self.assertRaises(BlockingIOError):
            self.ids.batch(1000, wait=False)

    def test_an_event_loop_goes_on(self) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while ticks < 20:
                await asyncio.sleep(0.001)
                ticks += 1

        async def main() -> None:
            change("waiting", 1)
            waiting: Any = asyncio.create_task(kuid.when_ready(self.ids.uuid7))
            await tick()
            self.assertFalse(waiting.done())
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            waiting = asyncio.create_task(kuid.when_ready(self.ids.batch, 10, "v6"))
            await asyncio.sleep(0)
            change("waiting", 0)
            self.assertEqual(len(await waiting), 10)

        asyncio.run(main())

    def test_threads_go_on_while_one_waits(self) -> None:
        self.ids.uuid7()
        change("waiting", 1)
        threading.Thread(target=self.ids.uuid7, daemon=True).start()
        # This needs the interpreter's lock, which the thread above released.
        for _ in range(20):
            time.sleep(0.001)

    def test_guarantees_are_the_kernel_s(self) -> None:
        held = self.ids.guarantees("k64")
        self.assertEqual(held, ("device", "file", False, False, False, "never"))
        with open(os.environ["FAKE"] + "/device", "w") as file:
            print("unique 32", "clones 3", sep="\n", file=file)
        held = self.ids.guarantees("k64")
        self.assertEqual(held, ("device", "file", True, False, False, "seen"))
