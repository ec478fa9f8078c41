// SPDX-License-Identifier: MIT
//! Prints IDs, one a line, in canonical text:
//!
//!     ids [-from SOURCE] [-host] [-turns] [-workers N] [-threads N] [FORMAT [COUNT]]
//!
//! -turns prints one, or its error, for each line of the standard input. After one ID
//! that is not printed, -workers forks children which print COUNT each, and -threads
//! begins threads. The source is printed to the standard error in the end.

use kuid::Format::{self, *};
use kuid::{Generator, Order, Source};
use std::io::{self, BufRead, Write};
use std::{env, process, thread};

extern "C" {
    fn fork() -> i32;
    fn wait(status: *mut i32) -> i32;
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const FORMATS: [Format; 8] = [V1, V6, V7, Lex, K64, K96, K128, Snowflake];

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

/// The value whose name it is.
fn named<T: Copy + std::fmt::Debug>(name: &str, values: &[T]) -> Result<T> {
    let of = |value: &&T| format!("{value:?}").eq_ignore_ascii_case(name);
    values.iter().find(of).copied().ok_or_else(|| format!("{name} is unknown").into())
}

fn run() -> Result<()> {
    let (mut source, mut order) = (Source::Auto, Order::File);
    let (mut turns, mut workers, mut threads) = (false, 0, 0);
    let mut rest = Vec::new();
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-from" => {
                let sources = [Source::Auto, Source::Device, Source::Private, Source::Local];
                source = named(&args.next().unwrap_or_default(), &sources)?;
            }
            "-host" => order = Order::Host,
            "-turns" => turns = true,
            "-workers" => workers = args.next().ok_or("-workers N")?.parse()?,
            "-threads" => threads = args.next().ok_or("-threads N")?.parse()?,
            _ => rest.push(arg),
        }
    }
    let ids = Generator::new(source, order);
    let format = named(rest.first().map_or("v7", |name| name), &FORMATS)?;
    let count: usize = rest.get(1).map_or(Ok(1), |count| count.parse())?;

    let line = || -> Result<String> {
        let mut id = vec![0; format.size()];
        ids.fill(format, &mut id)?;
        Ok(kuid::text(format, &id).ok_or("no text")? + "\n")
    };
    let lines = || -> Result<()> {
        let text = (0..count).map(|_| line()).collect::<Result<String>>()?;
        // One write, so that lines of several writers don't mix.
        Ok(io::stdout().lock().write_all(text.as_bytes())?)
    };
    if turns {
        for _ in io::stdin().lock().lines() {
            print!("{}", line().unwrap_or_else(|error| format!("error: {error}\n")));
            io::stdout().flush()?;
        }
    } else if workers + threads > 0 {
        line()?;
        for _ in 0..workers {
            // SAFETY: there is one thread.
            if unsafe { fork() } == 0 {
                process::exit(lines().is_err().into());
            }
        }
        for _ in 0..workers {
            let mut status = 0;
            // SAFETY: the status is ours.
            if unsafe { wait(&mut status) } < 0 || status != 0 {
                return Err("a worker failed".into());
            }
        }
        thread::scope(|scope| {
            // All begin before one is joined.
            #[allow(clippy::needless_collect)]
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(&lines)).collect();
            all.into_iter().try_for_each(|one| one.join().map_err(|_| "a thread panicked")?)
        })?;
    } else {
        lines()?;
    }
    eprintln!("source: {}", format!("{:?}", ids.source()).to_lowercase());
    Ok(())
}

fn main() {
    let _ = log::set_logger(&ToStderr).map(|()| log::set_max_level(log::LevelFilter::Warn));
    if let Err(error) = run() {
        eprintln!("kuid: {error}");
        process::exit(1);
    }
}
