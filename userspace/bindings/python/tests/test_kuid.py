# SPDX-License-Identifier: MIT
"""What needs no device; selftests/bindings has the rest."""

import datetime
import importlib
import inspect
import os
import pickle
import resource
import signal
import subprocess
import sys
import unittest
import uuid
import warnings
from pathlib import Path
from typing import Any, List, Literal

import kuid
import kuid.host


class LocalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ids = kuid.Generator("local")

    def test_uuids_are_python_s_own_and_increase(self) -> None:
        for version in 1, 6, 7:
            make = getattr(self.ids, f"uuid{version}")
            made: List[uuid.UUID] = [make() for _ in range(1000)]
            for id in made:
                self.assertIs(type(id), uuid.UUID)
                self.assertEqual((id.version, id.variant), (version, uuid.RFC_4122))
                self.assertIs(id.is_safe, uuid.SafeUUID.unknown)
                self.assertEqual(uuid.UUID(str(id)), id)
            # The bytes of a v1 don't begin with its highest digits.
            order = (lambda id: (id.time, id.clock_seq)) if version == 1 else None
            self.assertEqual(sorted(set(made), key=order), made)

    def test_batches_increase(self) -> None:
        for n in 0, 1, 255, 256, 257, 1000:
            made = self.ids.batch(n)
            self.assertEqual(len(made), n)
            self.assertEqual(sorted(set(made)), made)
        for wrong in "v4", "uuid":
            with self.assertRaisesRegex(ValueError, f'"{wrong}" is no format'):
                self.ids.batch(1, wrong)  # type: ignore[call-overload]
        with self.assertRaises(ValueError):
            self.ids.batch(-1)
        with self.assertRaises(TypeError):
            self.ids.batch(1e300)  # type: ignore[call-overload]

    def test_a_million_ids_leave_nothing(self) -> None:
        def grown() -> int:
            for _ in range(4):
                self.ids.batch(100000)
            for _ in range(100000):
                self.ids.uuid7()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        # In KiB: 8 bytes an ID would be 4 MiB.
        self.assertLess(-grown() + grown(), 2048)

    def test_only_the_device_makes_the_others(self) -> None:
        for name in "lex", "k64", "k96", "k128", "snowflake":
            with self.assertRaises(OSError):
                getattr(self.ids, name)()


class SourceTest(unittest.TestCase):
    def test_unknown_sources_and_orders_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, '"disk" is no source'):
            kuid.Generator("disk")  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, '"all" is no order'):
            kuid.Generator(order="all")  # type: ignore[arg-type]
        sources: List[Literal["local", "private"]] = ["local", "private"]
        for source in sources:
            with self.assertRaisesRegex(ValueError, "only the device has the order"):
                kuid.Generator(source, "host")

    def test_a_missing_device_is_an_error_that_helps(self) -> None:
        # Order and slot formats are the device's.
        makers: List[Any] = [kuid.Generator("device").uuid7, kuid.Generator("private").uuid7]
        makers += [kuid.Generator().k64, kuid.host.uuid7, kuid.host.k64, kuid.host.guarantees]
        for make in makers:
            with self.assertRaisesRegex(OSError, "modprobe kuid"):
                make()

    def test_auto_warns_once_and_tells(self) -> None:
        ids = kuid.Generator()
        self.assertEqual(ids.source, "auto")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            ids.uuid7()
            ids.uuid6()
        self.assertEqual([w.category for w in seen], [RuntimeWarning])
        self.assertEqual(ids.source, "local")
        ids = kuid.Generator()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(RuntimeWarning):
                ids.uuid7()
        self.assertEqual(ids.uuid7().version, 7)

    def test_who_asks_is_not_warned(self) -> None:
        for ids in kuid.Generator(), kuid.Generator("local"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                held = ids.guarantees()
                ids.uuid7()
            want = kuid.Guarantees("local", "file", True, True, True, "never")
            self.assertEqual(held, want)
            with self.assertRaisesRegex(ValueError, '"v4" is no format'):
                ids.guarantees("v4")


class NameTest(unittest.TestCase):
    def test_functions_have_names_for_pickles_and_migrations(self) -> None:
        for module in kuid, kuid.host:
            for name in "uuid1", "uuid6", "uuid7", "k64", "snowflake", "batch":
                function = getattr(module, name)
                names = function.__module__, function.__qualname__
                self.assertEqual(names, (module.__name__, name))
                self.assertIs(pickle.loads(pickle.dumps(function)), function)

    def test_help_has_signatures(self) -> None:
        for call in kuid.uuid1, kuid.uuid6, kuid.uuid7, kuid.host.uuid7:
            self.assertEqual(list(inspect.signature(call).parameters), ["wait"])
        self.assertEqual(list(inspect.signature(kuid.batch).parameters), ["n", "format", "wait"])


class AdoptionTest(unittest.TestCase):
    """The lines that the README shows for other packages, as far as these are here."""

    def imported(self, name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            return self.skipTest(f"there is no {name}")

    def test_django_takes_it_as_default(self) -> None:
        settings = self.imported("django.conf").settings
        memory = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
        settings.configure(DATABASES={"default": memory})
        self.imported("django").setup()
        models, db = self.imported("django.db.models"), self.imported("django.db")
        field = models.UUIDField(primary_key=True, default=kuid.uuid7)
        meta = type("Meta", (), {"app_label": "tests"})
        members = {"id": field, "__module__": __name__, "Meta": meta}
        event = type(models.Model)("Event", (models.Model,), members)
        with db.connection.schema_editor() as editor:
            editor.create_model(event)
        made = [event.objects.create().pk for _ in range(3)]
        self.assertEqual([id.version for id in made], [7, 7, 7])
        self.assertEqual(sorted(event.objects.values_list("pk", flat=True)), made)

        # The file that makemigrations writes, and migrate runs.
        writer = self.imported("django.db.migrations.writer").MigrationWriter
        migrations = self.imported("django.db.migrations")
        state = self.imported("django.db.migrations.state").ProjectState
        for make in kuid.uuid7, kuid.host.uuid7:
            fields = [("id", models.UUIDField(primary_key=True, default=make))]
            written: Any = migrations.Migration("0001_initial", "tests")
            written.operations = [migrations.CreateModel("Log" + make.__module__[5:], fields)]
            scope: Any = {}
            exec(writer(written).as_string(), scope)
            read = scope["Migration"]("0001_initial", "tests")
            self.assertIs(read.operations[0].fields[0][1].default, make)
            with db.connection.schema_editor() as editor:
                read.apply(state(), editor)

    def test_sqlalchemy_takes_it_as_default(self) -> None:
        sql, orm = self.imported("sqlalchemy"), self.imported("sqlalchemy.orm")
        base: Any = type("Base", (orm.DeclarativeBase,), {})
        column = orm.mapped_column(sql.Uuid, primary_key=True, default=kuid.uuid7)
        event: Any = type("Event", (base,), {"__tablename__": "event", "id": column})
        engine = sql.create_engine("sqlite://")
        base.metadata.create_all(engine)
        with orm.Session(engine) as session:
            made: List[uuid.UUID] = []
            for _ in range(3):
                session.add(row := event())
                session.flush()
                made.append(row.id)
            self.assertEqual([id.version for id in made], [7, 7, 7])
            self.assertEqual(session.scalars(sql.select(event.id).order_by(event.id)).all(), made)


class TextTest(unittest.TestCase):
    def test_published_ids_are_read(self) -> None:
        lines = (Path(__file__).parents[2] / "ids.tsv").read_text().splitlines()
        rows = [line.split("\t") for line in lines if line[0] != "#"]
        for format, setting, text, id, *times in rows:
            if not times:
                with self.assertRaisesRegex(ValueError, id.replace("at", "at character") + "$"):
                    kuid.parse(text, format)
                continue
            read: Any = kuid.parse(text, format)
            self.assertEqual(kuid.text(read, format), text)
            self.assertEqual(kuid.text(bytes.fromhex(id), format), text)
            if times[0] != "-":
                ns, ours = int(times[0]), setting == "made_by_kuid"
                unit = None if ours or setting == "-" else int(setting)
                self.assertEqual(kuid.time_ns(read, format, unit, ours), ns, text)
                ends: Any = [end(format, ns, unit, ours) for end in (kuid.lowest, kuid.highest)]
                for end, want in zip(ends, times[1:]):
                    self.assertEqual(kuid.text(end, format), kuid.text(bytes.fromhex(want), format))

    def test_texts_are_parsed_strictly(self) -> None:
        random = uuid.uuid4()
        self.assertEqual(kuid.parse(str(random)), random)
        for wrong in random.hex, f"{{{random}}}", random.urn, "4194304":
            with self.assertRaisesRegex(ValueError, "at character"):
                kuid.parse(wrong)

    def test_times_have_a_range(self) -> None:
        id = kuid.Generator("local").uuid7()
        self.assertEqual(kuid.time(kuid.highest("v7", kuid.time(id))), kuid.time(id))
        with self.assertRaises(OverflowError):
            kuid.lowest("v1", -(10**20))
        with self.assertRaises(TypeError):
            kuid.lowest("v7", datetime.datetime(2026, 1, 1))
        far = uuid.UUID(int=(2**48 - 1) << 80 | 7 << 76 | 2 << 62)
        self.assertEqual(kuid.time_ns(far), (2**48 - 1) * 10**6)
        with self.assertRaises(OverflowError):
            kuid.time(far)

    def test_what_is_no_id_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "v7 has 16 bytes, not 15"):
            kuid.text(bytes(15), "v7")
        with self.assertRaises(ValueError):
            kuid.time_ns(uuid.uuid4())
        with self.assertRaises(TypeError):
            kuid.text(1)
        with self.assertRaises(OverflowError):
            kuid.text(1 << 64, "k64")


class PlainTest(unittest.TestCase):
    def test_elsewhere_uuids_are_plain(self) -> None:
        code = """if True:
            import os, pickle, signal, sys, threading, uuid
            signal.alarm(60)  # for a lock that nobody gives back
            sys.modules["kuid._libkuid"] = None
            import kuid, kuid.host
            ids = [kuid.uuid7() for _ in range(10000)] + kuid.batch(1000)
            assert sorted(set(ids)) == ids
            assert all(id.version == 7 and id.variant == uuid.RFC_4122 for id in ids)
            assert abs(kuid.time_ns(ids[0]) - kuid.time_ns(uuid.UUID(str(ids[-1])))) < 10**11
            assert kuid.lowest("v7", kuid.time(ids[0])) <= ids[0] <= kuid.highest("v7", kuid.time(ids[0]))
            assert kuid.parse(str(ids[0])) == ids[0] and kuid.text(ids[0]) == str(ids[0])
            assert pickle.loads(pickle.dumps(kuid.host.uuid7)) is kuid.host.uuid7
            assert kuid.guarantees().source == "plain"
            for absent in kuid.uuid1, kuid.k64, kuid.host.uuid7, kuid.Generator("device").uuid7:
                try:
                    absent()
                except OSError as error:
                    assert "no libkuid" in str(error)
                else:
                    raise AssertionError(absent)
            for now in -1, 10**6 << 48:
                kuid._made.time.time_ns = lambda: now
                try:
                    kuid.uuid7()
                except OSError as error:
                    assert "reach the time" in str(error)
                else:
                    raise AssertionError(now)
            kuid._made.time.time_ns = lambda: 0
            with kuid._made._clock.lock:
                assert kuid.uuid7() not in ids
            holder = threading.Thread(target=kuid._made._clock.lock.acquire)
            holder.start()
            holder.join()
            if not os.fork():
                os._exit(kuid.uuid7() in ids)
            assert os.wait()[1] == 0
        """
        done = subprocess.run([sys.executable, "-W", "default", "-c", code], stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(b"RuntimeWarning: kuid: no device"), 1)


class SignalTest(unittest.TestCase):
    def test_a_handler_may_make_ids(self) -> None:
        ids = kuid.Generator("local")
        made: List[uuid.UUID] = []
        former = signal.signal(signal.SIGALRM, lambda *_: made.append(ids.uuid7()))
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        try:
            outside = [ids.uuid7() for _ in range(200000)]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
        self.assertEqual(len(set(made + outside)), len(made) + len(outside))
