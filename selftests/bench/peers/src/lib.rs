// SPDX-License-Identifier: GPL-2.0-only
//! UUIDs of uuid-rs, by functions that are called as libuuid's.
use uuid::Uuid;

#[no_mangle]
pub extern "C" fn uuid_rs_v4(out: &mut [u8; 16]) -> i32 {
    *out = Uuid::new_v4().into_bytes();
    0
}

#[no_mangle]
pub extern "C" fn uuid_rs_v7(out: &mut [u8; 16]) -> i32 {
    *out = Uuid::now_v7().into_bytes();
    0
}
