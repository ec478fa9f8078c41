// SPDX-License-Identifier: MIT
//! Time-ordered UUIDs of the whole host, from the kernel module kuid.
//!
//! ```no_run
//! let id = kuid::v7()?; // a uuid::Uuid
//! let id = kuid::host::v7()?; // in order over all programs that use this order
//! # Ok::<(), kuid::Error>(())
//! ```
//!
//! The functions of this crate are those of one [`Generator`], whose source is
//! [`Source::Auto`]; [`source()`] says which of them it has become.
//!
//! # Errors
//!
//! All functions that make IDs fail with the errno of the device, and [`Error`] says
//! what helps: `ESTALE` and `EKEYEXPIRED` if the host's number is in doubt, `ENODATA`
//! if a state has to be restored, `ENOKEY` if snowflakes have no number, and `ENODEV`,
//! `EACCES` or `EPERM` if the device was asked for and may not be had. They wait up to
//! 100 ms for the clock and up to 30 s for an administrator.

#[cfg(not(any(kuid_plain, not(all(target_os = "linux", target_pointer_width = "64")))))]
mod native;
#[cfg(any(kuid_plain, not(all(target_os = "linux", target_pointer_width = "64"))))]
#[path = "plain.rs"]
mod native;

use std::error;
use std::fmt;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU8, Ordering::*};
use std::sync::Once;

#[cfg(not(any(kuid_plain, not(all(target_os = "linux", target_pointer_width = "64")))))]
pub use native::{highest, lowest, parse, text, time};
pub use uuid::Uuid;

/// A format of IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The device, or `Local` if there is none, or it may not be read. The first
    /// ID decides, and the first one after a fork again.
    Auto,
    /// The kernel.
    Device,
    /// This process, in a lane that the kernel guards.
    Private,
    /// This process alone, by libkuid.
    Local,
    /// This process, by random bits: `Local` where there is no 64-bit Linux. It
    /// makes v7 only, in order over the process.
    Plain,
}

const SOURCES: [Source; 5] =
    [Source::Auto, Source::Device, Source::Private, Source::Local, Source::Plain];

/// What was promised about the order of IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// All users of one generator.
    File,
    /// All programs of the host that ask for it.
    Host,
}

/// When a copy of the virtual machine is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clones {
    /// Before the next ID.
    Seen,
    /// Later.
    Told,
    /// Never, also if the machine is not virtual.
    Never,
}

/// What holds now for IDs of a format, so that a program can refuse to run on less.
/// Order between programs is lost if the order or the source of one differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guarantees {
    pub source: Source,
    pub order: Order,
    /// No ID repeats on this host.
    pub unique: bool,
    /// IDs are in the order.
    pub ordered: bool,
    /// No ID repeats after a reboot.
    pub reboot_safe: bool,
    pub clones: Clones,
}

/// Of struct kuid_status: KUID_CLONES_*, and bits of formats.
struct Status {
    clones: u32,
    unique: u64,
    ordered: u64,
    reboot_safe: u64,
}

/// An error of the system while IDs of a format were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    errno: i32,
    format: Format,
}

impl Error {
    /// The errno.
    pub fn raw_os_error(&self) -> i32 {
        self.errno
    }

    /// Says that there is no device to be had; all else is an error of a device.
    fn is_absence(&self) -> bool {
        matches!(self.errno, ENODEV | EACCES | EPERM)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = io::Error::from_raw_os_error(self.errno);
        write!(f, "/dev/kuid: {:?}: {}", self.format, error)?;
        native::advice(self.errno).map_or(Ok(()), |advice| write!(f, ". {advice}"))
    }
}

impl error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(io::Error::from_raw_os_error(error.errno).kind(), error)
    }
}

/// A text that is no ID of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    format: Format,
    place: usize,
}

impl ParseError {
    /// The byte at which the text is wrong; its length if something is missing.
    pub fn place(&self) -> usize {
        self.place
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not the text of a {:?} at byte {}", self.format, self.place)
    }
}

impl error::Error for ParseError {}

// Linux has the same numbers on all machines of 64 bits for these.
const EPERM: i32 = 1;
const EINTR: i32 = 4;
const EBADF: i32 = 9;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const ENODEV: i32 = 19;
const EOPNOTSUPP: i32 = 95;

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
    /// One handle makes all formats and orders.
    handle: AtomicPtr<native::Handle>,
}

impl Generator {
    /// A generator; the device is opened with the first ID.
    pub const fn new(source: Source, order: Order) -> Generator {
        Generator {
            asked: source,
            order,
            source: AtomicU8::new(source as u8),
            forks: AtomicU32::new(0),
            warned: AtomicBool::new(false),
            handle: AtomicPtr::new(ptr::null_mut()),
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
    /// handle that it had is left: another thread may use it. A handle of the
    /// device serves children, too.
    fn notice_fork(&self) {
        let forks = FORKS.load(Relaxed);
        if self.forks.swap(forks, Relaxed) == forks {
            return;
        }
        if self.asked == Source::Auto && self.source.load(Relaxed) == Source::Local as u8 {
            self.handle.store(ptr::null_mut(), Relaxed);
            self.source.store(Source::Auto as u8, Release);
        }
    }

    /// The handle, and the source that it is of.
    fn find(&self, format: Format) -> Result<(*mut native::Handle, Source)> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| native::count_forks(count_fork));
        let source = self.source();
        let wanted = if source == Source::Auto { Source::Device } else { source };
        match native::open(format, wanted) {
            Ok(handle) => Ok((handle, wanted)),
            Err(error)
                if source == Source::Auto
                    && self.order == Order::File
                    && format.is_stamp()
                    && error.is_absence() =>
            {
                let handle = native::open(format, native::WITHOUT_DEVICE).map_err(|_| error)?;
                Ok((handle, native::WITHOUT_DEVICE))
            }
            Err(error) => Err(error),
        }
    }

    #[cold]
    fn open(&self, format: Format) -> Result<*mut native::Handle> {
        loop {
            let (handle, source) = self.find(format)?;
            let auto = Source::Auto as u8;
            let decided = self.source.compare_exchange(auto, source as u8, AcqRel, Acquire);
            let wrong = decided.map_or_else(|now| now != source as u8, |_| false);
            let theirs = if wrong {
                // Another thread was first, and found something else.
                Err(ptr::null_mut())
            } else {
                self.handle.compare_exchange(ptr::null_mut(), handle, AcqRel, Acquire)
            };
            match theirs {
                Ok(_) => return Ok(handle),
                Err(theirs) => {
                    // SAFETY: nobody else has the handle yet.
                    unsafe { native::close(handle) };
                    if !theirs.is_null() {
                        return Ok(theirs);
                    }
                }
            }
        }
    }

    fn warn(&self) {
        if self.asked == Source::Auto
            && self.source.load(Relaxed) >= Source::Local as u8
            && !self.warned.swap(true, Relaxed)
        {
            log::warn!(
                "kuid: no device: this process makes UUIDs by itself, and only random bits \
                 tell them from those of others"
            );
        }
    }

    fn fill_some(&self, format: Format, wait: bool, ids: &mut [u8]) -> Result<usize> {
        let mut again = true;
        if self.forks.load(Relaxed) != FORKS.load(Relaxed) {
            self.notice_fork();
        }
        if ids.is_empty() {
            return Ok(0);
        }
        loop {
            let mut handle = self.handle.load(Acquire);
            if handle.is_null() {
                handle = self.open(format)?;
                self.warn();
            }
            // SAFETY: no handle in use is ever closed.
            match unsafe { native::make(handle, format, self.order, wait, ids) } {
                Err(error) if error.errno == EINTR => (),
                // The program has closed the device, and another file may have its
                // number. Other threads may use the handle, so it is left.
                Err(error) if again && matches!(error.errno, EBADF | ENODEV) => {
                    again = false;
                    let none = ptr::null_mut();
                    let _ = self.handle.compare_exchange(handle, none, AcqRel, Relaxed);
                }
                Ok(made) => return Ok(made * format.size()),
                // The device would make it.
                Err(error) if self.asked == Source::Auto && error.errno == EOPNOTSUPP => {
                    return Err(Error { errno: ENODEV, format });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// IDs of a format into all of a slice, one behind the other, which increase.
    ///
    /// # Panics
    ///
    /// The length is not that of a whole number of IDs.
    pub fn fill(&self, format: Format, ids: &mut [u8]) -> Result<()> {
        assert_eq!(ids.len() % format.size(), 0, "not a whole number of IDs");
        let mut done = 0;
        while done < ids.len() {
            done += self.fill_some(format, true, &mut ids[done..])?;
        }
        Ok(())
    }

    /// As [`fill`](Generator::fill), but without waiting: returns how many bytes were
    /// filled.
    ///
    /// # Errors
    ///
    /// `EAGAIN`, which is [`io::ErrorKind::WouldBlock`]: there is no ID now.
    ///
    /// # Panics
    ///
    /// The length is not that of a whole number of IDs.
    pub fn try_fill(&self, format: Format, ids: &mut [u8]) -> Result<usize> {
        assert_eq!(ids.len() % format.size(), 0, "not a whole number of IDs");
        self.fill_some(format, false, ids)
    }

    fn one<const N: usize>(&self, format: Format) -> Result<[u8; N]> {
        let mut id = [0; N];
        self.fill(format, &mut id)?;
        Ok(id)
    }

    pub fn v1(&self) -> Result<Uuid> {
        self.one(Format::V1).map(Uuid::from_bytes)
    }

    pub fn v6(&self) -> Result<Uuid> {
        self.one(Format::V6).map(Uuid::from_bytes)
    }

    pub fn v7(&self) -> Result<Uuid> {
        self.one(Format::V7).map(Uuid::from_bytes)
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

    /// UUIDs of V1, V6 or V7, which increase.
    ///
    /// # Errors
    ///
    /// `ENOMEM`: no memory for so many.
    ///
    /// # Panics
    ///
    /// The format is none of these.
    pub fn batch(&self, format: Format, n: usize) -> Result<Vec<Uuid>> {
        assert!(format.is_stamp(), "{format:?} is no UUID");
        let none = Error { errno: ENOMEM, format };
        let (mut bytes, mut ids) = (Vec::new(), Vec::new());
        let size = n.checked_mul(format.size()).ok_or(none)?;
        bytes.try_reserve_exact(size).and_then(|()| ids.try_reserve_exact(n)).map_err(|_| none)?;
        bytes.resize(size, 0);
        self.fill(format, &mut bytes)?;
        ids.extend(bytes.chunks_exact(16).filter_map(|id| Uuid::from_slice(id).ok()));
        Ok(ids)
    }

    /// What holds now for IDs of a format. It opens the device if no ID has decided
    /// yet where they are made, and then there is no warning if there is none.
    pub fn guarantees(&self, format: Format) -> Result<Guarantees> {
        self.warned.store(true, Relaxed);
        let mut handle = self.handle.load(Acquire);
        if handle.is_null() {
            handle = self.open(format)?;
        }
        let source = self.source();
        // SAFETY: no handle in use is ever closed.
        let now = unsafe { native::status(handle, format, source) }?;
        let held = |formats: u64| formats >> format as u32 & 1 != 0;
        Ok(Guarantees {
            source,
            order: self.order,
            unique: held(now.unique),
            ordered: held(now.ordered),
            reboot_safe: held(now.reboot_safe),
            clones: match now.clones {
                0 => Clones::Never,
                clones if clones & 1 != 0 => Clones::Seen,
                _ => Clones::Told,
            },
        })
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        let handle = *self.handle.get_mut();
        if !handle.is_null() {
            // SAFETY: nobody uses the generator any more. If the program has closed the
            // device, libkuid leaves the file alone that has its number.
            unsafe { native::close(handle) };
        }
    }
}

macro_rules! functions {
    ($generator:expr) => {
        /// Where the functions of this module make IDs; `Auto` before the first one.
        pub fn source() -> Source {
            $generator.source()
        }
        /// A UUID of version 1.
        pub fn v1() -> Result<Uuid> {
            $generator.v1()
        }
        /// A UUID of version 6.
        pub fn v6() -> Result<Uuid> {
            $generator.v6()
        }
        /// A UUID of version 7.
        pub fn v7() -> Result<Uuid> {
            $generator.v7()
        }
        /// A k-ordered ID of this host, a positive number.
        pub fn k64() -> Result<i64> {
            $generator.k64()
        }
        /// A snowflake, a positive number.
        pub fn snowflake() -> Result<i64> {
            $generator.snowflake()
        }
        /// UUIDs of a format, as [`Generator::batch`].
        pub fn batch(format: Format, n: usize) -> Result<Vec<Uuid>> {
            $generator.batch(format, n)
        }
        /// What holds now, as [`Generator::guarantees`].
        pub fn guarantees(format: Format) -> Result<Guarantees> {
            $generator.guarantees(format)
        }
    };
}

static AUTO: Generator = Generator::new(Source::Auto, Order::File);
functions!(AUTO);

/// The same functions in the order of the whole host, which needs the device.
pub mod host {
    use super::{Format, Generator, Guarantees, Order, Result, Source, Uuid};

    static HOST: Generator = Generator::new(Source::Auto, Order::Host);
    functions!(HOST);
}
