// SPDX-License-Identifier: MIT
//! Prints IDs, one a line, in canonical text:
//!
//!     ids [-from SOURCE] [-host] [-turns] [-check] [-close] [-workers N] [-threads N]
//!         [FORMAT [COUNT]]
//!
//! -turns prints one, or its error, for each line of the standard input. -check
//! reads each by the crate uuid. -close puts another file in place of the device
//! before each. After one ID that is not printed, -workers forks
//! children which print COUNT each, and -threads begins threads. The source is
//! printed to the standard error in the end.

use kuid::{Format, Generator, Order, Source, Uuid};
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::os::unix::io::AsRawFd;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

extern "C" {
    fn fork() -> i32;
    fn wait(status: *mut i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
}

struct ToStderr;

impl log::Log for ToStderr {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }
    fn log(&self, record: &log::Record) {
        eprintln!("{}", record.args());
    }
    fn flush(&self) {}
}

fn format_of(name: &str) -> Option<Format> {
    use Format::*;
    let names = ["v1", "v6", "v7", "lex", "k64", "k96", "k128", "snowflake"];
    let formats = [V1, V6, V7, Lex, K64, K96, K128, Snowflake];
    names.iter().position(|&other| other == name).map(|i| formats[i])
}

fn check(format: Format, id: Uuid) -> Result<(), Box<dyn Error>> {
    let bits = id.as_u128();
    let ticks = match format {
        Format::V1 => (((bits >> 64) & 0xfff) << 48) | (((bits >> 80) & 0xffff) << 32) | (bits >> 96),
        Format::V6 => ((bits >> 80) << 12) | ((bits >> 64) & 0xfff),
        _ => 0x01b21dd213814000 + (bits >> 80) * 10000,
    };
    let ms = (ticks - 0x01b21dd213814000) / 10000;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let version = [1, 6, 7][format as usize - 1];
    let told = kuid::time(format, id.as_bytes(), 0, false).ok_or("no time")?;
    if id.get_version_num() == version
        && id.get_variant() == uuid::Variant::RFC4122
        && Uuid::parse_str(&id.to_string())? == id
        && now.abs_diff(ms) < 10000
        && told.duration_since(UNIX_EPOCH)?.as_millis() == ms
    {
        return Ok(());
    }
    Err(format!("{id} is wrong").into())
}

/// As a program does that closes all files and opens others.
fn lose_device() -> Result<(), Box<dyn Error>> {
    let zero = fs::File::open("/dev/zero")?;
    for entry in fs::read_dir("/proc/self/fd")? {
        let path = entry?.path();
        if fs::read_link(&path).map_or(false, |target| target.to_string_lossy().starts_with("/dev/kuid")) {
            let fd = path.file_name().and_then(|name| name.to_str()).ok_or("no number")?;
            // SAFETY: whoever has the file is to see that.
            unsafe { dup2(zero.as_raw_fd(), fd.parse()?) };
        }
    }
    Ok(())
}

struct Given {
    ids: Generator,
    format: Format,
    count: usize,
    check: bool,
    close: bool,
}

impl Given {
    fn line(&self) -> Result<String, Box<dyn Error>> {
        if self.close {
            lose_device()?;
        }
        let mut id = vec![0; self.format.size()];
        self.ids.fill(self.format, &mut id)?;
        if self.check && id.len() == 16 {
            check(self.format, Uuid::from_slice(&id)?)?;
        }
        Ok(kuid::text(self.format, &id).ok_or("no text")? + "\n")
    }

    fn lines(&self) -> Result<(), Box<dyn Error>> {
        let mut text = String::new();
        for _ in 0..self.count {
            text += &self.line()?;
        }
        // One write, so that lines of several writers don't mix.
        Ok(io::stdout().lock().write_all(text.as_bytes())?)
    }

    fn turns(&self) -> Result<(), Box<dyn Error>> {
        for line in io::stdin().lock().lines() {
            line?;
            print!("{}", self.line().unwrap_or_else(|error| format!("error: {error}\n")));
            io::stdout().flush()?;
        }
        Ok(())
    }

    fn workers(&self, count: usize) -> Result<(), Box<dyn Error>> {
        let mut failed = 0;
        self.line()?;
        for _ in 0..count {
            // SAFETY: there is one thread.
            if unsafe { fork() } == 0 {
                process::exit(self.lines().is_err().into());
            }
        }
        for _ in 0..count {
            let mut status = 0;
            // SAFETY: the status is ours.
            unsafe { wait(&mut status) };
            failed += (status != 0) as usize;
        }
        if failed > 0 { Err(format!("{failed} workers failed").into()) } else { Ok(()) }
    }

    fn threads(&self, count: usize) -> Result<(), Box<dyn Error>> {
        self.line()?;
        thread::scope(|scope| {
            let all: Vec<_> = (0..count)
                .map(|_| scope.spawn(|| self.lines().map_err(|error| error.to_string())))
                .collect();
            for one in all {
                one.join().map_err(|_| "a thread panicked")??;
            }
            Ok(())
        })
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let (mut source, mut order) = (Source::Auto, Order::File);
    let (mut turns, mut check, mut close, mut workers, mut threads) = (false, false, false, 0, 0);
    let mut rest = Vec::new();
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-from" => {
                source = match args.next().as_deref() {
                    Some("auto") => Source::Auto,
                    Some("device") => Source::Device,
                    Some("private") => Source::Private,
                    Some("local") => Source::Local,
                    _ => return Err("-from auto|device|private|local".into()),
                }
            }
            "-host" => order = Order::Host,
            "-turns" => turns = true,
            "-check" => check = true,
            "-close" => close = true,
            "-workers" => workers = args.next().ok_or("-workers N")?.parse()?,
            "-threads" => threads = args.next().ok_or("-threads N")?.parse()?,
            _ => rest.push(arg),
        }
    }
    let given = Given {
        ids: Generator::new(source, order),
        format: format_of(rest.first().map_or("v7", |name| name)).ok_or("no such format")?,
        count: rest.get(1).map_or(Ok(1), |count| count.parse())?,
        check,
        close,
    };
    if turns {
        given.turns()?;
    } else if workers > 0 {
        given.workers(workers)?;
    } else if threads > 0 {
        given.threads(threads)?;
    } else {
        given.lines()?;
    }
    eprintln!("source: {}", format!("{:?}", given.ids.source()).to_lowercase());
    Ok(())
}

fn main() {
    let _ = log::set_logger(&ToStderr).map(|()| log::set_max_level(log::LevelFilter::Warn));
    if let Err(error) = run() {
        eprintln!("kuid: {error}");
        process::exit(1);
    }
}
