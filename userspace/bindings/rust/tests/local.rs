// SPDX-License-Identifier: MIT
//! What needs no device; selftests/bindings has the rest.

#![cfg(not(kuid_plain))]

use kuid::{Format, Generator, Order, Source, Uuid};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

static WARNINGS: AtomicUsize = AtomicUsize::new(0);

struct Count;

impl log::Log for Count {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }
    fn log(&self, _: &log::Record) {
        WARNINGS.fetch_add(1, Ordering::SeqCst);
    }
    fn flush(&self) {}
}

fn local() -> Generator {
    Generator::new(Source::Local, Order::File)
}

#[test]
fn uuids_increase() {
    let ids = local();
    type Make = fn(&Generator) -> kuid::Result<Uuid>;
    let makes: [(Format, usize, Make); 3] = [
        (Format::V1, 1, Generator::v1),
        (Format::V6, 6, Generator::v6),
        (Format::V7, 7, Generator::v7),
    ];
    for (format, version, make) in makes {
        let made: Vec<Uuid> = (0..1000).map(|_| make(&ids).unwrap()).collect();
        for id in &made {
            assert_eq!(id.get_version_num(), version);
            assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            assert_eq!(Uuid::parse_str(&kuid::text(format, id.as_bytes()).unwrap()), Ok(*id));
        }
        // The bytes of a v1 don't begin with its highest digits.
        assert!(version == 1 || made.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn batches_increase() {
    for n in [0, 1, 257, 1000] {
        let made = local().batch(Format::V7, n).unwrap();
        assert_eq!(made.len(), n);
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn threads_find_at_once_what_auto_becomes() {
    let ids = Generator::new(Source::Auto, Order::File);
    let make = || (0..10000).map(|_| ids.v7().unwrap()).collect::<Vec<_>>();
    // All begin before one is joined.
    #[allow(clippy::needless_collect)]
    let made: HashSet<Uuid> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(made.len(), 80000);
    assert_eq!(ids.source(), Source::Local);
}

/// The most memory that the process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn ten_million_ids_leave_nothing() {
    let ids = local();
    let mut before = 0;
    for round in 0..110 {
        (0..50_000).for_each(|_| assert!(!ids.v7().unwrap().is_nil()));
        assert_eq!(ids.batch(Format::V6, 50_000).unwrap().len(), 50_000);
        before = if round < 10 { peak() } else { before };
    }
    // A byte an ID would be 10 MiB; other tests run meanwhile.
    let after = peak();
    assert!(after < before + 8192, "{before} KiB, {after} KiB");
}

#[test]
fn auto_becomes_local_and_warns_once() {
    log::set_logger(&Count).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    assert_eq!(kuid::source(), Source::Auto);
    kuid::v7().unwrap();
    kuid::v6().unwrap();
    assert_eq!(kuid::source(), Source::Local);
    assert!(kuid::k64().unwrap_err().to_string().contains("modprobe kuid"));
    assert!(WARNINGS.load(Ordering::SeqCst) <= 2);
}

#[test]
fn a_missing_device_is_an_error_that_helps() {
    for (source, order) in
        [(Source::Device, Order::File), (Source::Private, Order::File), (Source::Auto, Order::Host)]
    {
        let error = Generator::new(source, order).v7().unwrap_err();
        assert_eq!(error.raw_os_error(), 19);
        assert!(error.to_string().contains("modprobe kuid"), "{error}");
    }
    // Order needs the device, and so do the other formats.
    assert!(Generator::new(Source::Local, Order::Host).v7().is_err());
    assert!(local().k64().is_err());
}

fn of_hex(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[test]
fn published_ids_are_read() {
    use Format::*;
    for line in include_str!("ids.tsv").lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let named = |format: &Format| format!("{format:?}").eq_ignore_ascii_case(row[0]);
        let format = [V1, V6, V7, Lex, K64, K96, K128, Snowflake].into_iter().find(named).unwrap();
        let read = kuid::parse(format, row[2]);
        if row.len() == 4 {
            let error = read.unwrap_err();
            assert_eq!(format!("at {}", error.place()), row[3], "{line}");
            assert!(error.to_string().ends_with(&format!("at byte {}", error.place())));
            continue;
        }
        let id = read.unwrap();
        assert_eq!(id, of_hex(row[3]), "{line}");
        assert_eq!(kuid::text(format, &id).unwrap(), row[2]);
        if let Ok(ns) = row[4].parse::<i64>() {
            let since = Duration::from_nanos(ns.unsigned_abs());
            let at = if ns < 0 { UNIX_EPOCH - since } else { UNIX_EPOCH + since };
            let setting = row[1].parse().unwrap_or(8);
            let ours = row[1] == "made_by_kuid";
            assert_eq!(kuid::time(format, &id, setting, ours), Some(at), "{line}");
            assert_eq!(kuid::lowest(format, at, setting, ours).unwrap(), of_hex(row[5]), "{line}");
            assert_eq!(kuid::highest(format, at, setting, ours).unwrap(), of_hex(row[6]), "{line}");
        }
    }
    assert_eq!(kuid::text(V7, &[0; 15]), None);
    assert_eq!(kuid::time(V7, &[0; 16], 0, false), None);
    assert_eq!(kuid::highest(V7, UNIX_EPOCH - Duration::new(1, 100), 0, false), None);
}

#[test]
fn no_number_of_ids_wraps_or_aborts() {
    for n in [usize::MAX, usize::MAX / 16 + 1, usize::MAX / 16, usize::MAX / 32] {
        assert_eq!(local().batch(Format::V7, n).unwrap_err().raw_os_error(), 12, "{n}");
    }
}

#[test]
#[should_panic(expected = "whole number")]
fn a_piece_of_an_id_is_refused() {
    assert_eq!(local().try_fill(Format::V7, &mut [0; 32]), Ok(32));
    let _ = local().fill(Format::V7, &mut [0; 17]);
}

#[test]
fn guarantees_tell_the_source_without_a_warning() {
    let ids = Generator::new(Source::Auto, Order::File);
    let now = ids.guarantees(Format::V7).unwrap();
    assert_eq!((now.source, now.order), (Source::Local, Order::File));
    assert!(now.unique && now.ordered && now.clones == kuid::Clones::Never);
    assert!(kuid::host::guarantees(Format::V7).is_err());
    assert!(kuid::host::v7().unwrap_err().to_string().contains("modprobe kuid"));
}
