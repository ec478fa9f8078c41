// SPDX-License-Identifier: MIT
//! Nanoseconds of an ID, the median of 31, beside the crate uuid and reads of files.

use kuid::{Format, Generator, Order, Source, Uuid};
use std::fs::File;
use std::io::Read;
use std::time::Instant;

fn measure(name: &str, ids: u32, mut call: impl FnMut()) {
    let count = 2_000 / ids;
    let mut took: Vec<f64> = (0..31)
        .map(|_| {
            let begin = Instant::now();
            (0..count).for_each(|_| call());
            begin.elapsed().as_nanos() as f64 / f64::from(count * ids)
        })
        .collect();
    took.sort_by(f64::total_cmp);
    println!("{name:32}{:9.1}", took[15]);
}

fn main() {
    measure("Uuid::new_v4", 1, || assert!(!Uuid::new_v4().is_nil()));
    for path in ["/dev/zero", "/dev/urandom"] {
        let mut file = File::open(path).expect(path);
        let mut bytes = [0; 16];
        measure(&format!("read {path}"), 1, || file.read_exact(&mut bytes).expect(path));
    }
    for source in [Source::Device, Source::Private, Source::Local] {
        let ids = Generator::new(source, Order::File);
        if let Err(error) = ids.v7() {
            println!("kuid {source:?}: {error}");
            continue;
        }
        measure(&format!("kuid {source:?} V7"), 1, || assert!(!ids.v7().expect("an ID").is_nil()));
        measure(&format!("kuid {source:?} V6"), 1, || assert!(!ids.v6().expect("an ID").is_nil()));
        measure(&format!("kuid {source:?} batch of 1000"), 1000, || {
            ids.batch(Format::V7, 1000).expect("IDs");
        });
    }
}
