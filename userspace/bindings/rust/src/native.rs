// SPDX-License-Identifier: MIT
//! libkuid, which the package compiles and links statically.

use crate::{Clones, Error, Format, Guarantees, Order, ParseError, Result, Source};
use std::ffi::CStr;
use std::io;
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// struct kuid_status, from uapi/linux/kuid.h.
#[repr(C)]
struct Status {
    flags: u32,
    clones: u32,
    counters: [u64; 33],
    unique: u64,
    ordered: u64,
    reboot_safe: u64,
    reserved: [u64; 27],
}

const LOCAL: c_uint = 1;
const PRIVATE: c_uint = 4;
const NOWAIT: c_uint = 1;
const TEXT_MAX: usize = 46;

extern "C" {
    fn kuid_open_flags(format: c_uint, flags: c_uint) -> *mut c_void;
    fn kuid_close(handle: *mut c_void);
    fn kuid_make(handle: *mut c_void, format: c_uint, order: c_uint, flags: c_uint, ids: *mut u8, count: usize) -> isize;
    fn kuid_read_status(handle: *mut c_void, status: *mut Status) -> c_int;
    fn kuid_lane_clones(status: *const Status) -> u32;
    fn kuid_error_advice(error: c_int) -> *const c_char;
    fn kuid_text(format: c_uint, id: *const u8, text: *mut c_char, size: usize) -> c_int;
    fn kuid_parse(format: c_uint, text: *const u8, size: usize, id: *mut u8, place: *mut usize) -> c_int;
    fn kuid_time(format: c_uint, id: *const u8, setting: u64, flags: c_uint, time: *mut [i64; 2]) -> c_int;
    fn kuid_lowest_at(format: c_uint, sec: i64, nsec: u32, setting: u64, flags: c_uint, id: *mut u8) -> c_int;
    fn kuid_highest_at(format: c_uint, sec: i64, nsec: u32, setting: u64, flags: c_uint, id: *mut u8) -> c_int;
}

/// What `Auto` becomes without a device.
pub const WITHOUT_DEVICE: Source = Source::Local;

pub struct Handle {
    pub source: Source,
    of_libkuid: *mut c_void,
}

fn last(format: Format) -> Error {
    Error { errno: io::Error::last_os_error().raw_os_error().unwrap_or(0), format }
}

pub fn open(format: Format, source: Source) -> Result<Handle> {
    let flags = match source {
        Source::Private => PRIVATE,
        Source::Local => LOCAL,
        _ => 0,
    };
    // SAFETY: any numbers may be given. The file of version 1 is that of all formats.
    let of_libkuid = unsafe { kuid_open_flags(Format::V1 as c_uint, flags) };
    if of_libkuid.is_null() { Err(last(format)) } else { Ok(Handle { source, of_libkuid }) }
}

impl Handle {
    /// Returns how many IDs were made.
    pub fn make(&self, format: Format, order: Order, wait: bool, ids: &mut [u8]) -> Result<usize> {
        let order = if order == Order::Host { 3 } else { 2 };
        let flags = if wait { 0 } else { NOWAIT };
        let (count, to) = (ids.len() / format.size(), ids.as_mut_ptr());
        // SAFETY: the handle is open, and there is room for the IDs.
        let made =
            unsafe { kuid_make(self.of_libkuid, format as c_uint, order, flags, to, count) };
        usize::try_from(made).map_err(|_| last(format))
    }

    pub fn guarantees(&self, format: Format, order: Order) -> Result<Guarantees> {
        let mut now = std::mem::MaybeUninit::<Status>::zeroed();
        // SAFETY: the handle is open, and zeros are a status.
        let now = unsafe {
            if kuid_read_status(self.of_libkuid, now.as_mut_ptr()) != 0 {
                return Err(last(format));
            }
            now.assume_init()
        };
        let lane = self.source == Source::Private;
        // SAFETY: it is a status.
        let clones = if lane { unsafe { kuid_lane_clones(&now) } } else { now.clones };
        let held = |formats: u64| formats >> format as u32 & 1 != 0;
        Ok(Guarantees {
            source: self.source,
            order,
            unique: held(now.unique),
            ordered: held(now.ordered),
            reboot_safe: held(now.reboot_safe),
            clones: match clones {
                0 => Clones::Never,
                clones if clones & 1 != 0 => Clones::Seen,
                _ => Clones::Told,
            },
        })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nobody uses the handle any more. If the program has closed the device,
        // libkuid leaves the file alone that has its number.
        unsafe { kuid_close(self.of_libkuid) }
    }
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
    let wrong =
        unsafe { kuid_text(format as c_uint, id.as_ptr(), text.as_mut_ptr().cast(), text.len()) };
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
    let (number, to) = (format as c_uint, id.as_mut_ptr());
    // SAFETY: the text has its size, and there is room for an ID.
    let wrong = unsafe { kuid_parse(number, text.as_ptr(), text.len(), to, &mut place) };
    if wrong == 0 { Ok(id) } else { Err(ParseError { format, place }) }
}

/// The time of an ID, rounded down to what it knows; `None` if it is no ID of the
/// format. A v7 has nanoseconds if kuid made it, else milliseconds.
///
/// setting is I of k96 and k128, the milliseconds that snowflake counts from, and
/// 0 for others.
pub fn time(format: Format, id: &[u8], setting: u64, made_by_kuid: bool) -> Option<SystemTime> {
    let mut time = [0; 2];
    // SAFETY: the ID has its size.
    if id.len() != format.size()
        || unsafe { kuid_time(format as c_uint, id.as_ptr(), setting, made_by_kuid.into(), &mut time) } != 0
    {
        return None;
    }
    let sec = Duration::from_secs(time[0].unsigned_abs());
    let second =
        if time[0] < 0 { UNIX_EPOCH.checked_sub(sec) } else { UNIX_EPOCH.checked_add(sec) };
    second?.checked_add(Duration::from_nanos(time[1] as u64))
}

type EdgeAt = unsafe extern "C" fn(c_uint, i64, u32, u64, c_uint, *mut u8) -> c_int;

fn edge(edge_at: EdgeAt, format: Format, time: SystemTime, setting: u64, ours: bool) -> Option<Vec<u8>> {
    let ns = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i128::try_from(since.as_nanos()),
        Err(before) => i128::try_from(before.duration().as_nanos()).map(|ns| -ns),
    };
    let ns = ns.ok()?;
    let sec = i64::try_from(ns.div_euclid(1_000_000_000)).ok()?;
    let mut id = vec![0; format.size()];
    let (number, nsec) = (format as c_uint, ns.rem_euclid(1_000_000_000) as u32);
    // SAFETY: there is room for an ID.
    let wrong = unsafe { edge_at(number, sec, nsec, setting, ours.into(), id.as_mut_ptr()) };
    (wrong == 0).then_some(id)
}

/// The lowest ID of a format at a time, for range queries; `None` if it does not
/// reach that time. The settings are those of [`time`].
pub fn lowest(format: Format, time: SystemTime, setting: u64, made_by_kuid: bool) -> Option<Vec<u8>> {
    edge(kuid_lowest_at, format, time, setting, made_by_kuid)
}

/// The highest ID of a format at a time, as [`lowest`].
pub fn highest(format: Format, time: SystemTime, setting: u64, made_by_kuid: bool) -> Option<Vec<u8>> {
    edge(kuid_highest_at, format, time, setting, made_by_kuid)
}
