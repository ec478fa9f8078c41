// SPDX-License-Identifier: MIT
//! Stands for libkuid where there is no 64-bit Linux: no device, and a plain v7.

use crate::{Clones, Error, Format, Guarantees, Order, Result, Source};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::time::{SystemTime, UNIX_EPOCH};

/// What `Auto` becomes without a device.
pub const WITHOUT_DEVICE: Source = Source::Plain;

static LAST: AtomicU64 = AtomicU64::new(0);

const ENODEV: i32 = 19;
const EOVERFLOW: i32 = 75;

pub struct Handle {
    pub source: Source,
}

pub fn open(format: Format, source: Source) -> Result<Handle> {
    if source == Source::Plain { Ok(Handle { source }) } else { Err(Error { errno: ENODEV, format }) }
}

impl Handle {
    /// Nanoseconds that increase, and random bits below them.
    pub fn make(&self, format: Format, order: Order, _: bool, ids: &mut [u8]) -> Result<usize> {
        let none = Error { errno: ENODEV, format };
        if format != Format::V7 || order == Order::Host {
            return Err(none);
        }
        getrandom::getrandom(ids).map_err(|_| none)?;
        let count = (ids.len() / 16) as u64;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        let now = now.ok_or(Error { errno: EOVERFLOW, format })? as u64;
        let take = |last: u64| Some(now.max(last + 1) + count.max(1) - 1);
        let last = LAST.fetch_update(Relaxed, Relaxed, take).map_or(0, |last| last);
        for (id, ns) in ids.chunks_exact_mut(16).zip(now.max(last + 1)..) {
            let fraction = (ns % 1_000_000 << 20) / 1_000_000;
            let high = ns / 1_000_000 << 16 | 0x7000 | fraction >> 8;
            let random = id[9..].iter().fold(u64::from(id[8]), |bits, &b| bits << 8 | u64::from(b));
            let low = 1 << 63 | (fraction & 0xff) << 54 | random & ((1 << 54) - 1);
            id[..8].copy_from_slice(&high.to_be_bytes());
            id[8..].copy_from_slice(&low.to_be_bytes());
        }
        Ok(count as usize)
    }

    pub fn guarantees(&self, _: Format, order: Order) -> Result<Guarantees> {
        let (source, clones) = (self.source, Clones::Never);
        Ok(Guarantees { source, order, unique: true, ordered: true, reboot_safe: true, clones })
    }
}

pub fn advice(errno: i32) -> Option<&'static str> {
    (errno == ENODEV).then_some("kuid is a module of 64-bit Linux")
}
