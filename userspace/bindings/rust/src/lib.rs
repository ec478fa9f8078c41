// SPDX-License-Identifier: MIT
//! Time-ordered UUIDs of the whole host, from the kernel module kuid.
//!
//! ```no_run
//! let id = kuid::now_v7()?; // a uuid::Uuid
//! # Ok::<(), kuid::Error>(())
//! ```
//!
//! The functions of this crate are those of one [`Generator`], whose source is
//! [`Source::Auto`]; [`source()`] says which of them it has become.

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("kuid needs Linux of 64 bits; elsewhere use uuid::Uuid::now_v7()");

mod ffi;

use std::error;
use std::ffi::CStr;
use std::fmt;
use std::io;
use std::os::raw::c_uint;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU8, Ordering::*};
use std::sync::Once;

pub use uuid::Uuid;

/// A format of IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    V1 = 1,
    V6,
    V7,
    Lex,
    K64,
    K96,
    K128,
    Snowflake,
}

const NR_FORMATS: usize = Format::Snowflake as usize + 1;

impl Format {
    /// Bytes of an ID.
    pub const fn size(self) -> usize {
        match self {
            Format::K64 | Format::Snowflake => 8,
            Format::K96 => 12,
            _ => 16,
        }
    }

    /// Whether a process can make the format.
    const fn is_stamp(self) -> bool {
        matches!(self, Format::V1 | Format::V6 | Format::V7)
    }
}

/// Where IDs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The device, or `Local` if there is none, or it may not be read. The first
    /// ID decides, and the first one after a fork again.
    Auto,
    /// The kernel.
    Device,
    /// This process, in a lane that the kernel guards.
    Private,
    /// This process alone.
    Local,
}

const SOURCES: [Source; 4] = [Source::Auto, Source::Device, Source::Private, Source::Local];

/// What was promised about the order of IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All users of one generator.
    File,
    /// All programs of the host that ask for it.
    Host,
}

/// An error of the system while IDs of a format were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    errno: i32,
    format: Format,
}

impl Error {
    fn last(format: Format) -> Error {
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        Error { errno, format }
    }

    /// The errno.
    pub fn raw_os_error(&self) -> i32 {
        self.errno
    }

    /// Says that there is no device to be had; all else is an error of a device.
    fn is_absence(&self) -> bool {
        matches!(self.errno, libc_errno::ENODEV | libc_errno::EACCES | libc_errno::EPERM)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: both give constants of libkuid, or NULL.
        let (device, advice) = unsafe {
            (
                CStr::from_ptr(ffi::kuid_format_device(self.format as c_uint)),
                ffi::kuid_error_advice(self.errno),
            )
        };
        let error = io::Error::from_raw_os_error(self.errno);
        write!(f, "{}: {}", device.to_string_lossy(), error)?;
        if !advice.is_null() {
            // SAFETY: as above.
            write!(f, ". {}", unsafe { CStr::from_ptr(advice) }.to_string_lossy())?;
        }
        Ok(())
    }
}

impl error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(io::Error::from_raw_os_error(error.errno).kind(), error)
    }
}

/// Linux has the same numbers on all machines of 64 bits for these.
mod libc_errno {
    pub const EPERM: i32 = 1;
    pub const EINTR: i32 = 4;
    pub const EBADF: i32 = 9;
    pub const EACCES: i32 = 13;
    pub const ENODEV: i32 = 19;
}

pub type Result<T> = std::result::Result<T, Error>;

/// How often this process and its parents were forked.
static FORKS: AtomicU32 = AtomicU32::new(0);

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Relaxed);
}

/// Makes IDs from one source, for any number of threads.
///
/// There are no locks, which a child could inherit while they are held.
pub struct Generator {
    asked: Source,
    order: Order,
    /// What `Auto` has become, as an index of `SOURCES`.
    source: AtomicU8,
    forks: AtomicU32,
    warned: AtomicBool,
    handles: [AtomicPtr<ffi::Handle>; NR_FORMATS],
}

impl Generator {
    /// A generator; the device is opened with the first ID.
    pub const fn new(source: Source, order: Order) -> Generator {
        #[allow(clippy::declare_interior_mutable_const)]
        const NONE: AtomicPtr<ffi::Handle> = AtomicPtr::new(ptr::null_mut());
        Generator {
            asked: source,
            order,
            source: AtomicU8::new(source as u8),
            forks: AtomicU32::new(0),
            warned: AtomicBool::new(false),
            handles: [NONE; NR_FORMATS],
        }
    }

    /// Where IDs are made; `Auto` before the first one.
    pub fn source(&self) -> Source {
        self.notice_fork();
        SOURCES[self.source.load(Acquire) as usize]
    }

    pub fn order(&self) -> Order {
        self.order
    }

    /// In a child, `Auto` that became `Local` looks for the device again, and the
    /// handles that it had are left: another thread may use them. A handle of the
    /// device serves children, too.
    fn notice_fork(&self) {
        let forks = FORKS.load(Relaxed);
        if self.forks.swap(forks, Relaxed) == forks {
            return;
        }
        if self.asked == Source::Auto && self.source.load(Relaxed) == Source::Local as u8 {
            for handle in &self.handles {
                handle.store(ptr::null_mut(), Relaxed);
            }
            self.source.store(Source::Auto as u8, Release);
        }
    }

    fn open_from(&self, format: Format, source: Source) -> Result<*mut ffi::Handle> {
        let flags = match source {
            Source::Private => ffi::PRIVATE,
            Source::Local => ffi::LOCAL,
            _ => 0,
        };
        // SAFETY: any numbers may be given.
        let handle = unsafe { ffi::kuid_open_flags(format as c_uint, flags) };
        if handle.is_null() {
            return Err(Error::last(format));
        }
        // SAFETY: nobody else has the handle yet.
        unsafe {
            if self.order == Order::Host && ffi::kuid_set_order(handle, ffi::ORDER_HOST) != 0 {
                let error = Error::last(format);
                ffi::kuid_close(handle);
                return Err(error);
            }
        }
        Ok(handle)
    }

    /// The handle, and the source that it is of.
    fn find(&self, format: Format) -> Result<(*mut ffi::Handle, Source)> {
        static ONCE: Once = Once::new();
        let source = match self.source() {
            Source::Auto => {
                // SAFETY: the function stays for the life of the process.
                ONCE.call_once(|| unsafe {
                    ffi::pthread_atfork(None, None, Some(count_fork));
                });
                Source::Device
            }
            // Only the device makes the other formats.
            Source::Local if self.asked == Source::Auto && !format.is_stamp() => Source::Device,
            source => source,
        };
        match self.open_from(format, source) {
            Ok(handle) => Ok((handle, source)),
            Err(error)
                if self.source() == Source::Auto
                    && self.order == Order::File
                    && format.is_stamp()
                    && error.is_absence() =>
            {
                let handle = self.open_from(format, Source::Local).map_err(|_| error)?;
                Ok((handle, Source::Local))
            }
            Err(error) => Err(error),
        }
    }

    #[cold]
    fn open(&self, format: Format) -> Result<*mut ffi::Handle> {
        loop {
            let (handle, source) = self.find(format)?;
            let auto = Source::Auto as u8;
            let decided = self.source.compare_exchange(auto, source as u8, AcqRel, Acquire);
            // Another thread was first, and found something else.
            if format.is_stamp() && decided.map_or_else(|now| now != source as u8, |_| false) {
                // SAFETY: nobody else has the handle yet.
                unsafe { ffi::kuid_close(handle) };
                continue;
            }
            if source == Source::Local
                && self.asked == Source::Auto
                && !self.warned.swap(true, Relaxed)
            {
                log::warn!(
                    "kuid: no device: this process makes UUIDs by itself, and only random bits \
                     tell them from those of others"
                );
            }
            let place = &self.handles[format as usize];
            return match place.compare_exchange(ptr::null_mut(), handle, AcqRel, Acquire) {
                Ok(_) => Ok(handle),
                Err(theirs) => {
                    // SAFETY: as above.
                    unsafe { ffi::kuid_close(handle) };
                    Ok(theirs)
                }
            };
        }
    }

    /// IDs of a format, into a slice of a whole number of them.
    ///
    /// The device is asked by an ioctl and not by a read: a program may close its
    /// file, whose number may then be that of another file. Such a handle is left
    /// as it is, because closing it would close the other file.
    fn make(&self, format: Format, ids: &mut [u8]) -> Result<()> {
        let size = format.size();
        let mut done = 0;
        let mut again = true;
        if self.forks.load(Relaxed) != FORKS.load(Relaxed) {
            self.notice_fork();
        }
        while done < ids.len() {
            let place = &self.handles[format as usize];
            let mut handle = place.load(Acquire);
            if handle.is_null() {
                handle = self.open(format)?;
            }
            let to = ids[done..].as_mut_ptr().cast();
            let count = (ids.len() - done) / size;
            // SAFETY: there is room for count IDs, and no handle in use is ever closed.
            let made = unsafe { ffi::kuid_many(handle, to, count) };
            if made > 0 {
                done += made as usize * size;
                continue;
            }
            match Error::last(format) {
                error if error.errno == libc_errno::EINTR => continue,
                error
                    if again && matches!(error.errno, libc_errno::EBADF | libc_errno::ENODEV) =>
                {
                    again = false;
                    let _ = place.compare_exchange(handle, ptr::null_mut(), AcqRel, Relaxed);
                }
                error => return Err(error),
            }
        }
        Ok(())
    }

    fn one<const N: usize>(&self, format: Format) -> Result<[u8; N]> {
        let mut id = [0; N];
        self.make(format, &mut id)?;
        Ok(id)
    }

    /// Made in its place, because copies of bytes that were just written wait for them.
    #[inline]
    fn uuid(&self, format: Format) -> Result<Uuid> {
        const NIL: Uuid = Uuid::nil();
        let mut id = NIL;
        // SAFETY: the crate uuid guarantees that a UUID lies in memory as its bytes.
        let bytes = unsafe { &mut *(&mut id as *mut Uuid).cast::<uuid::Bytes>() };
        let handle = self.handles[format as usize].load(Acquire);
        // SAFETY: there is room for a UUID, and no handle in use is ever closed.
        if handle.is_null()
            || self.source.load(Relaxed) < Source::Private as u8
            || self.forks.load(Relaxed) != FORKS.load(Relaxed)
            || unsafe { ffi::kuid_one(handle, bytes.as_mut_ptr().cast()) } != 0
        {
            self.make(format, bytes)?;
        }
        Ok(id)
    }

    pub fn now_v1(&self) -> Result<Uuid> {
        self.uuid(Format::V1)
    }

    pub fn now_v6(&self) -> Result<Uuid> {
        self.uuid(Format::V6)
    }

    pub fn now_v7(&self) -> Result<Uuid> {
        self.uuid(Format::V7)
    }

    pub fn k64(&self) -> Result<i64> {
        self.one(Format::K64).map(i64::from_be_bytes)
    }

    pub fn snowflake(&self) -> Result<i64> {
        self.one(Format::Snowflake).map(i64::from_be_bytes)
    }

    pub fn lex(&self) -> Result<[u8; 16]> {
        self.one(Format::Lex)
    }

    pub fn k96(&self) -> Result<[u8; 12]> {
        self.one(Format::K96)
    }

    pub fn k128(&self) -> Result<[u8; 16]> {
        self.one(Format::K128)
    }

    /// IDs of any format, one behind the other, which increase.
    pub fn batch(&self, format: Format, n: usize) -> Result<Vec<u8>> {
        let mut ids = vec![0; n * format.size()];
        self.make(format, &mut ids)?;
        Ok(ids)
    }

    /// UUIDs of version 7, which increase.
    pub fn batch_v7(&self, n: usize) -> Result<Vec<Uuid>> {
        let ids = self.batch(Format::V7, n)?;
        Ok(ids.chunks_exact(16).filter_map(|id| Uuid::from_slice(id).ok()).collect())
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        for handle in &mut self.handles {
            // SAFETY: nobody uses the generator any more. NULL is allowed.
            unsafe { ffi::kuid_close(*handle.get_mut()) };
        }
    }
}

static AUTO: Generator = Generator::new(Source::Auto, Order::File);

/// Where the functions of this crate make IDs; `Auto` before the first one.
pub fn source() -> Source {
    AUTO.source()
}

/// A UUID of version 1.
pub fn now_v1() -> Result<Uuid> {
    AUTO.now_v1()
}

/// A UUID of version 6.
pub fn now_v6() -> Result<Uuid> {
    AUTO.now_v6()
}

/// A UUID of version 7.
pub fn now_v7() -> Result<Uuid> {
    AUTO.now_v7()
}

/// A k-ordered ID of this host.
pub fn k64() -> Result<i64> {
    AUTO.k64()
}

/// A snowflake.
pub fn snowflake() -> Result<i64> {
    AUTO.snowflake()
}

/// The canonical text of an ID; `None` if it is no ID of the format.
pub fn text(format: Format, id: &[u8]) -> Option<String> {
    let mut text = [0u8; ffi::TEXT_MAX];
    if id.len() != format.size() {
        return None;
    }
    // SAFETY: the ID has its size, and text is large enough for any.
    let wrong = unsafe {
        ffi::kuid_text(format as c_uint, id.as_ptr().cast(), text.as_mut_ptr().cast(), text.len())
    };
    let end = text.iter().position(|&byte| byte == 0)?;
    (wrong == 0).then(|| String::from_utf8_lossy(&text[..end]).into_owned())
}

/// The time of an ID, in nanoseconds since 1970, rounded down to what it knows;
/// `None` if it is no ID of the format.
///
/// setting is I of k96 and k128, the milliseconds that snowflake counts from, and
/// 0 for others. If kuid made the ID, a v7 has nanoseconds.
pub fn time(format: Format, id: &[u8], setting: u64, made_by_kuid: bool) -> Option<i128> {
    let flags = if made_by_kuid { ffi::FROM_KUID } else { 0 };
    let mut time = ffi::Timespec::default();
    if id.len() != format.size() {
        return None;
    }
    // SAFETY: the ID has its size.
    let wrong =
        unsafe { ffi::kuid_time(format as c_uint, id.as_ptr().cast(), setting, flags, &mut time) };
    (wrong == 0).then(|| i128::from(time.sec) * 1_000_000_000 + i128::from(time.nsec))
}
