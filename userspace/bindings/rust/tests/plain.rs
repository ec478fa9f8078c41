// SPDX-License-Identifier: MIT
//! Where there is no 64-bit Linux; cargo test with RUSTFLAGS="--cfg kuid_plain".
#![cfg(kuid_plain)]

use kuid::{Format, Generator, Order, Source, Uuid};
use std::time::{SystemTime, UNIX_EPOCH};

#[test]
fn auto_is_a_plain_v7() {
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let mut ids: Vec<Uuid> = (0..1000).map(|_| kuid::v7().unwrap()).collect();
    ids.extend(kuid::batch(Format::V7, 1000).unwrap());
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(ids.iter().all(|id| id.get_version_num() == 7));
    assert!(ids.iter().all(|id| id.get_variant() == uuid::Variant::RFC4122));
    let after = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    assert!(ids[0].as_u128() >> 80 >= before && ids[999].as_u128() >> 80 <= after);
    assert_eq!(kuid::source(), Source::Plain);
    assert_eq!(kuid::guarantees(Format::V7).unwrap().source, Source::Plain);
}

#[test]
fn all_else_needs_the_device() {
    for (source, order) in [(Source::Device, Order::File), (Source::Auto, Order::Host)] {
        let error = Generator::new(source, order).v7().unwrap_err();
        assert!(error.to_string().contains("64-bit Linux"), "{error}");
    }
    assert!(kuid::v6().is_err() && kuid::host::v7().is_err() && kuid::snowflake().is_err());
}
