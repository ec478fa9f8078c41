// SPDX-License-Identifier: MIT
//! Reads a batch of IDs from kuid, and one more as text, and prints them:
//!
//!     many [--fallback] [DEVICE]
//!
//! If there is no device, it fails, or with --fallback makes the IDs itself.
//!
//! A `File` reads what it is asked for. A `BufReader` around it reads hundreds of
//! IDs ahead, which are lost with it.

use std::env;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

const COUNT: usize = 5;
const SIZE: usize = 16;
const LINE: usize = 37;

/// Goes on where a signal ended a read early.
fn read<const N: usize>(path: &str) -> io::Result<[u8; N]> {
    let mut data = [0; N];
    File::open(path)?.read_exact(&mut data)?;
    Ok(data)
}

fn text(id: u128) -> String {
    let mut text = format!("{id:032x}");
    for dash in [20, 16, 12, 8] {
        text.insert(dash, '-');
    }
    text
}

fn from_device(path: &str) -> io::Result<Vec<String>> {
    let mut ids: Vec<String> = read::<{ COUNT * SIZE }>(path)?
        .chunks_exact(SIZE)
        .map(|id| text(u128::from_be_bytes(id.try_into().unwrap())))
        .collect();
    let line = read::<LINE>(&format!("{path}.txt"))?;
    ids.push(String::from_utf8_lossy(&line).trim_end().into());
    Ok(ids)
}

/// A UUID version 7: a random one that begins with the time in milliseconds.
fn without_kuid() -> io::Result<String> {
    let random = u128::from_be_bytes(read("/dev/urandom")?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let id = now.unwrap_or_default().as_millis() << 80 | random >> 48;
    Ok(text(id & !(0xf << 76 | 3 << 62) | 7 << 76 | 2 << 62))
}

fn main() {
    let mut arguments = env::args().skip(1).peekable();
    let fallback = arguments.next_if_eq("--fallback").is_some();
    let path = arguments.next().unwrap_or_else(|| "/dev/kuids/v7".into());

    let ids = match from_device(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound && fallback => {
            (0..COUNT).map(|_| without_kuid()).collect()
        }
        result => result,
    };
    match ids {
        Ok(ids) => println!("{}", ids.join("\n")),
        Err(error) => {
            if error.kind() == ErrorKind::NotFound {
                eprintln!("many: no {path}: load the module kuid, or use --fallback");
            } else {
                eprintln!("many: {path}: {error}");
            }
            process::exit(1);
        }
    }
}
