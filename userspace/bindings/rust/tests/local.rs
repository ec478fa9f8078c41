// SPDX-License-Identifier: MIT
//! What needs no device; selftests/bindings has the rest.

use kuid::{Format, Generator, Order, Source, Uuid};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
    for (version, make) in [
        (1, Generator::now_v1 as fn(&Generator) -> kuid::Result<Uuid>),
        (6, Generator::now_v6),
        (7, Generator::now_v7),
    ] {
        let mut last = 0;
        for _ in 0..1000 {
            let id = make(&ids).unwrap();
            assert_eq!(id.get_version_num(), version);
            assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            let bits = id.as_u128();
            let order = if version == 1 { (bits.rotate_left(64) >> 64) & 0xfff } else { bits };
            assert!(version == 1 || order > last);
            last = order;
        }
    }
}

#[test]
fn the_crate_uuid_reads_100000_as_libkuid() {
    for id in local().batch_v7(100000).unwrap() {
        let told = kuid::time(Format::V7, id.as_bytes(), 0, false).unwrap();
        assert_eq!((id.as_u128() >> 80) as i128, told / 1_000_000);
        assert_eq!(Uuid::parse_str(&kuid::text(Format::V7, id.as_bytes()).unwrap()), Ok(id));
    }
}

#[test]
fn batches_increase() {
    for n in [0, 1, 257, 1000] {
        let made = local().batch_v7(n).unwrap();
        assert_eq!(made.len(), n);
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn threads_repeat_nothing() {
    // They also find what Auto becomes at once.
    let ids = Generator::new(Source::Auto, Order::File);
    let make = || (0..10000).map(|_| ids.now_v7().unwrap()).collect::<Vec<_>>();
    // All begin before one is joined.
    #[allow(clippy::needless_collect)]
    let made: HashSet<Uuid> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(made.len(), 80000);
    assert_eq!(ids.source(), Source::Local);
}

#[test]
fn auto_becomes_local_and_warns_once() {
    log::set_logger(&Count).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    assert_eq!(kuid::source(), Source::Auto);
    kuid::now_v7().unwrap();
    kuid::now_v6().unwrap();
    assert_eq!(kuid::source(), Source::Local);
    assert!(kuid::k64().unwrap_err().to_string().contains("modprobe kuid"));
    assert!(WARNINGS.load(Ordering::SeqCst) <= 2);
}

#[test]
fn a_missing_device_is_an_error_that_helps() {
    for ids in [
        Generator::new(Source::Device, Order::File),
        Generator::new(Source::Private, Order::File),
        Generator::new(Source::Auto, Order::Host),
    ] {
        let error = ids.now_v7().unwrap_err();
        assert_eq!(error.raw_os_error(), 19);
        assert!(error.to_string().contains("modprobe kuid"), "{error}");
    }
    // Order needs the device, and so do the other formats.
    assert!(Generator::new(Source::Local, Order::Host).now_v7().is_err());
    assert!(local().k64().is_err());
}

#[test]
fn numbers_have_texts_and_times() {
    let k64 = ((3u64 << 44) | (5 << 24)).to_be_bytes();
    assert_eq!(kuid::text(Format::K64, &(1u64 << 44).to_be_bytes()).unwrap(), "...F.......");
    assert_eq!(kuid::time(Format::K64, &k64, 8, false), Some(3_000_005_000_000_000));
    assert_eq!(kuid::text(Format::V7, &[0; 15]), None);
    assert_eq!(kuid::time(Format::V7, &[0; 16], 0, false), None);
}
