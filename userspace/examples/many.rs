// SPDX-License-Identifier: MIT
//! Reads a batch of IDs from kuid and prints them: many [DEVICE]
//!
//! A `File` reads what it is asked for. A `BufReader` around it reads hundreds of
//! IDs ahead, which are lost with it.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::process;

const COUNT: usize = 5;
const SIZE: usize = 16;

/// Integers in the order of the IDs' bytes.
fn read(path: &str) -> io::Result<Vec<u128>> {
    let mut batch = [0; COUNT * SIZE];
    // Goes on where a signal ended a read early.
    File::open(path)?.read_exact(&mut batch)?;
    Ok(batch
        .chunks_exact(SIZE)
        .map(|id| u128::from_be_bytes(id.try_into().unwrap()))
        .collect())
}

fn text(id: u128) -> String {
    let mut text = format!("{id:032x}");
    for dash in [20, 16, 12, 8] {
        text.insert(dash, '-');
    }
    text
}

fn main() {
    let path = env::args().nth(1).unwrap_or_else(|| "/dev/kuids/v7".into());
    let ids = read(&path).unwrap_or_else(|error| {
        eprintln!("many: {path}: {error}");
        process::exit(1);
    });
    for id in ids {
        println!("{}", text(id));
    }
}
