// SPDX-License-Identifier: MIT
//! libkuid, which the package compiles and links statically.

use crate::{Error, Format, Order, ParseError, Result, Source, Status};
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::io;

#[repr(C)]
pub struct Handle {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Default)]
struct Timespec {
    sec: i64,
    nsec: i64,
}

const LOCAL: c_uint = 1;
const PRIVATE: c_uint = 4;
const NOWAIT: c_uint = 1;
const FROM_KUID: c_uint = 1;
const TEXT_MAX: usize = 46;

extern "C" {
    fn kuid_open_flags(format: c_uint, flags: c_uint) -> *mut Handle;
    fn kuid_close(handle: *mut Handle);
    fn kuid_make(
        handle: *mut Handle,
        format: c_uint,
        order: c_uint,
        flags: c_uint,
        ids: *mut c_void,
        count: usize,
    ) -> isize;
    fn kuid_read_status(handle: *mut Handle, status: *mut [u64; 64]) -> c_int;
    fn kuid_lane_clones(status: *const [u64; 64]) -> u32;
    fn kuid_error_advice(error: c_int) -> *const c_char;
    fn kuid_text(format: c_uint, id: *const c_void, text: *mut c_char, size: usize) -> c_int;
    fn kuid_parse(
        format: c_uint,
        text: *const c_char,
        size: usize,
        id: *mut c_void,
        place: *mut usize,
    ) -> c_int;
    fn kuid_time(
        format: c_uint,
        id: *const c_void,
        setting: u64,
        flags: c_uint,
        time: *mut Timespec,
    ) -> c_int;
    fn kuid_lowest_at(
        format: c_uint,
        sec: i64,
        nsec: u32,
        setting: u64,
        flags: c_uint,
        id: *mut c_void,
    ) -> c_int;
    fn kuid_highest_at(
        format: c_uint,
        sec: i64,
        nsec: u32,
        setting: u64,
        flags: c_uint,
        id: *mut c_void,
    ) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// What `Auto` becomes without a device.
pub const WITHOUT_DEVICE: Source = Source::Local;

fn last(format: Format) -> Error {
    Error { errno: io::Error::last_os_error().raw_os_error().unwrap_or(0), format }
}

pub fn count_forks(child: extern "C" fn()) {
    // SAFETY: the function stays for the life of the process.
    unsafe { pthread_atfork(None, None, Some(child)) };
}

pub fn open(format: Format, source: Source) -> Result<*mut Handle> {
    let flags = match source {
        Source::Private => PRIVATE,
        Source::Local => LOCAL,
        _ => 0,
    };
    // SAFETY: any numbers may be given. The file of version 1 is that of all formats.
    let handle = unsafe { kuid_open_flags(Format::V1 as c_uint, flags) };
    if handle.is_null() { Err(last(format)) } else { Ok(handle) }
}

/// # Safety
/// Nobody uses the handle any more.
pub unsafe fn close(handle: *mut Handle) {
    kuid_close(handle)
}

/// # Safety
/// The handle is open.
pub unsafe fn make(
    handle: *mut Handle,
    format: Format,
    order: Order,
    wait: bool,
    ids: &mut [u8],
) -> Result<usize> {
    let order = if order == Order::Host { 3 } else { 2 };
    let flags = if wait { 0 } else { NOWAIT };
    let count = ids.len() / format.size();
    let made = kuid_make(handle, format as c_uint, order, flags, ids.as_mut_ptr().cast(), count);
    usize::try_from(made).map_err(|_| last(format))
}

/// # Safety
/// The handle is open.
pub(crate) unsafe fn status(handle: *mut Handle, format: Format, source: Source) -> Result<Status> {
    let mut status = [0; 64];
    if kuid_read_status(handle, &mut status) != 0 {
        return Err(last(format));
    }
    let mut clones = (&status as *const u64).cast::<u32>().add(1).read();
    if source == Source::Private {
        clones = kuid_lane_clones(&status);
    }
    Ok(Status { clones, unique: status[34], ordered: status[35], reboot_safe: status[36] })
}

pub fn advice(errno: i32) -> Option<&'static str> {
    // SAFETY: constants of libkuid, or NULL.
    unsafe {
        let advice = kuid_error_advice(errno);
        (!advice.is_null()).then(|| CStr::from_ptr(advice).to_str().unwrap_or(""))
    }
}

/// The canonical text of an ID; `None` if it is no ID of the format.
pub fn text(format: Format, id: &[u8]) -> Option<String> {
    let mut text = [0u8; TEXT_MAX];
    if id.len() != format.size() {
        return None;
    }
    // SAFETY: the ID has its size, and text is large enough for any.
    let wrong = unsafe {
        kuid_text(format as c_uint, id.as_ptr().cast(), text.as_mut_ptr().cast(), text.len())
    };
    let end = text.iter().position(|&byte| byte == 0)?;
    (wrong == 0).then(|| String::from_utf8_lossy(&text[..end]).into_owned())
}

/// Reads the canonical text of an ID, and nothing else.
///
/// # Errors
///
/// The text is no ID of the format; the error says at which byte.
pub fn parse(format: Format, text: &str) -> std::result::Result<Vec<u8>, ParseError> {
    let (mut id, mut place) = (vec![0; format.size()], 0);
    // SAFETY: the text has its size, and there is room for an ID.
    let wrong = unsafe {
        kuid_parse(
            format as c_uint,
            text.as_ptr().cast(),
            text.len(),
            id.as_mut_ptr().cast(),
            &mut place,
        )
    };
    if wrong == 0 { Ok(id) } else { Err(ParseError { format, place }) }
}

/// The time of an ID, rounded down to what it knows; `None` if it is no ID of the
/// format. A v7 has nanoseconds if kuid made it, else milliseconds.
///
/// setting is I of k96 and k128, the milliseconds that snowflake counts from, and
/// 0 for others.
pub fn time(format: Format, id: &[u8], setting: u64, made_by_kuid: bool) -> Option<SystemTime> {
    let flags = if made_by_kuid { FROM_KUID } else { 0 };
    let mut time = Timespec::default();
    if id.len() != format.size() {
        return None;
    }
    // SAFETY: the ID has its size.
    let wrong =
        unsafe { kuid_time(format as c_uint, id.as_ptr().cast(), setting, flags, &mut time) };
    let sec = Duration::from_secs(time.sec.unsigned_abs());
    let second =
        if time.sec < 0 { UNIX_EPOCH.checked_sub(sec) } else { UNIX_EPOCH.checked_add(sec) };
    second.filter(|_| wrong == 0)?.checked_add(Duration::from_nanos(time.nsec as u64))
}

type EdgeAt = unsafe extern "C" fn(c_uint, i64, u32, u64, c_uint, *mut c_void) -> c_int;

fn edge(edge_at: EdgeAt, format: Format, time: SystemTime, setting: u64) -> Option<Vec<u8>> {
    let (sec, nsec) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (i64::try_from(since.as_secs()).ok()?, since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            let up = i64::from(before.subsec_nanos() > 0);
            let nsec = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            (-i64::try_from(before.as_secs()).ok()? - up, nsec)
        }
    };
    let mut id = vec![0; format.size()];
    // SAFETY: there is room for an ID.
    let wrong =
        unsafe { edge_at(format as c_uint, sec, nsec, setting, 0, id.as_mut_ptr().cast()) };
    (wrong == 0).then_some(id)
}

/// The lowest ID of a format at a time, for range queries; `None` if it does not
/// reach that time. The setting is that of [`time`].
pub fn lowest(format: Format, time: SystemTime, setting: u64) -> Option<Vec<u8>> {
    edge(kuid_lowest_at, format, time, setting)
}

/// The highest ID of a format at a time, as [`lowest`].
pub fn highest(format: Format, time: SystemTime, setting: u64) -> Option<Vec<u8>> {
    edge(kuid_highest_at, format, time, setting)
}
