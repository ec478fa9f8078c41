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

use native::Handle;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use std::{convert, error, fmt, io, ptr};

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
    /// ID decides.
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

/// Makes IDs from one source, for any number of threads.
///
/// There are no locks, which a child could inherit while they are held.
pub struct Generator {
    asked: Source,
    order: Order,
    warned: AtomicBool,
    /// Makes all formats and orders; NULL before the first ID.
    handle: AtomicPtr<Handle>,
}

impl Generator {
    /// A generator; the device is opened with the first ID.
    pub const fn new(source: Source, order: Order) -> Generator {
        Generator {
            asked: source,
            order,
            warned: AtomicBool::new(false),
            handle: AtomicPtr::new(ptr::null_mut()),
        }
    }

    fn handle(&self) -> Option<&Handle> {
        // SAFETY: a handle that has been in use is freed with the generator, or never.
        unsafe { self.handle.load(Acquire).as_ref() }
    }

    /// Where IDs are made; `Auto` before the first one.
    pub fn source(&self) -> Source {
        self.handle().map_or(self.asked, |handle| handle.source)
    }

    pub fn order(&self) -> Order {
        self.order
    }

    /// The first handle, or the next one of the same source, if another one is lost.
    #[cold]
    fn open(&self, format: Format, lost: Option<&Handle>) -> Result<&Handle> {
        let source = lost.map_or(self.asked, |lost| lost.source);
        let wanted = if source == Source::Auto { Source::Device } else { source };
        let new = match native::open(format, wanted) {
            // These say that there is no device to be had; all else is an error of a device.
            Err(error @ Error { errno: ENODEV | EACCES | EPERM, .. })
                if source == Source::Auto && self.order == Order::File && format.is_stamp() =>
            {
                native::open(format, native::WITHOUT_DEVICE).map_err(|_| error)
            }
            found => found,
        }?;
        let new = Box::into_raw(Box::new(new));
        let old = lost.map_or(ptr::null_mut(), |lost| lost as *const Handle as *mut Handle);
        if let Err(theirs) = self.handle.compare_exchange(old, new, AcqRel, Acquire) {
            // SAFETY: another thread was first, and nobody else has this handle.
            drop(unsafe { Box::from_raw(new) });
            // SAFETY: as in handle(); it is not NULL, because it isn't `old`.
            return Ok(unsafe { &*theirs });
        }
        // SAFETY: as in handle().
        let new = unsafe { &*new };
        if self.asked != new.source
            && new.source == native::WITHOUT_DEVICE
            && !self.warned.swap(true, Relaxed)
        {
            log::warn!(
                "kuid: no device: this process makes UUIDs by itself, and only random bits \
                 tell them from those of others"
            );
        }
        Ok(new)
    }

    fn fill_some(&self, format: Format, wait: bool, ids: &mut [u8]) -> Result<usize> {
        let mut again = true;
        if ids.is_empty() {
            return Ok(0);
        }
        let mut handle = self.handle().map_or_else(|| self.open(format, None), Ok)?;
        loop {
            match handle.make(format, self.order, wait, ids) {
                Ok(made) => return Ok(made * format.size()),
                Err(Error { errno: EINTR, .. }) => (),
                // The program has closed the device, and another file may have its
                // number. Other threads may use the handle, so it is left.
                Err(Error { errno: EBADF | ENODEV, .. }) if again => {
                    again = false;
                    handle = self.open(format, Some(handle))?;
                }
                // The device would make it.
                Err(Error { errno: EOPNOTSUPP, .. }) if self.asked == Source::Auto => {
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
        let handle = self.handle().map_or_else(|| self.open(format, None), Ok)?;
        handle.guarantees(format, self.order)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        let handle = *self.handle.get_mut();
        if !handle.is_null() {
            // SAFETY: nobody uses the generator any more.
            drop(unsafe { Box::from_raw(handle) });
        }
    }
}

/// For each kind of ID: its function, type, format, and what makes it of its bytes.
macro_rules! each {
    ($define:ident $($generator:ident)?) => {
        $define! { $($generator)?
            /// A UUID of version 1.
            v1 -> Uuid, V1, Uuid::from_bytes;
            /// A UUID of version 6.
            v6 -> Uuid, V6, Uuid::from_bytes;
            /// A UUID of version 7.
            v7 -> Uuid, V7, Uuid::from_bytes;
            /// A k-ordered ID of this host, a positive number.
            k64 -> i64, K64, i64::from_be_bytes;
            /// A snowflake, a positive number.
            snowflake -> i64, Snowflake, i64::from_be_bytes;
            /// A lexical UUID.
            lex -> [u8; 16], Lex, convert::identity;
            /// A k-ordered ID.
            k96 -> [u8; 12], K96, convert::identity;
            /// A k-ordered ID.
            k128 -> [u8; 16], K128, convert::identity;
        }
    };
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident -> $id:ty, $format:ident, $of:path;)*) => {
        impl Generator {
            $($(#[$doc])*
            pub fn $name(&self) -> Result<$id> {
                self.one(Format::$format).map($of)
            })*
        }
    };
}

macro_rules! functions {
    ($generator:ident $($(#[$doc:meta])* $name:ident -> $id:ty, $format:ident, $of:path;)*) => {
        $($(#[$doc])*
        pub fn $name() -> Result<$id> {
            $generator.$name()
        })*
        /// Where the functions of this module make IDs; `Auto` before the first one.
        pub fn source() -> Source {
            $generator.source()
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

each!(methods);
static AUTO: Generator = Generator::new(Source::Auto, Order::File);
each!(functions AUTO);

/// The same functions in the order of the whole host, which needs the device.
pub mod host {
    use super::{Format, Generator, Guarantees, Order, Result, Source, Uuid};

    static HOST: Generator = Generator::new(Source::Auto, Order::Host);
    each!(functions HOST);
}
