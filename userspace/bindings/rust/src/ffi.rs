// SPDX-License-Identifier: MIT
//! What the package uses of libkuid, which it links statically.

use std::os::raw::{c_char, c_int, c_uint, c_void};

#[repr(C)]
pub struct Handle {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Default)]
pub struct Timespec {
    pub sec: i64,
    pub nsec: i64,
}

pub const LOCAL: c_uint = 1;
pub const PRIVATE: c_uint = 4;
pub const ORDER_HOST: c_uint = 3;
pub const FROM_KUID: c_uint = 1;
pub const TEXT_MAX: usize = 46;

extern "C" {
    pub fn kuid_open_flags(format: c_uint, flags: c_uint) -> *mut Handle;
    pub fn kuid_close(handle: *mut Handle);
    pub fn kuid_set_order(handle: *mut Handle, order: c_uint) -> c_int;
    pub fn kuid_one(handle: *mut Handle, id: *mut c_void) -> c_int;
    pub fn kuid_many(handle: *mut Handle, ids: *mut c_void, count: usize) -> isize;
    pub fn kuid_error_advice(error: c_int) -> *const c_char;
    pub fn kuid_format_device(format: c_uint) -> *const c_char;
    pub fn kuid_text(format: c_uint, id: *const c_void, text: *mut c_char, size: usize) -> c_int;
    pub fn kuid_time(
        format: c_uint,
        id: *const c_void,
        setting: u64,
        flags: c_uint,
        time: *mut Timespec,
    ) -> c_int;
    pub fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}
