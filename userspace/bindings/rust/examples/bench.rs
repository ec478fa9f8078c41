// SPDX-License-Identifier: MIT
//! Nanoseconds of an ID, the median of 31, beside the crate uuid and reads of files.

use kuid::{Generator, Order, Source, Uuid};
use std::fs::File;
use std::io::Read;
use std::time::Instant;

fn measure(name: &str, mut call: impl FnMut()) {
    let mut took: Vec<f64> = (0..31)
        .map(|_| {
            let begin = Instant::now();
            (0..2000).for_each(|_| call());
            begin.elapsed().as_nanos() as f64 / 2000.0
        })
        .collect();
    took.sort_by(f64::total_cmp);
    println!("{name:32}{:9.1}", took[15]);
}

fn main() {
    measure("Uuid::new_v4", || assert!(!Uuid::new_v4().is_nil()));
    for path in ["/dev/zero", "/dev/urandom"] {
        let mut file = File::open(path).expect(path);
        let mut bytes = [0; 16];
        measure(&format!("read {path}"), || file.read_exact(&mut bytes).expect(path));
    }
    // The device is the last one: where there is none, that is an error.
    for source in [Source::Local, Source::Device] {
        let ids = Generator::new(source, Order::File);
        measure(&format!("kuid {source:?} V7"), || assert!(!ids.v7().expect("an ID").is_nil()));
        measure(&format!("kuid {source:?} V6"), || assert!(!ids.v6().expect("an ID").is_nil()));
    }
}
