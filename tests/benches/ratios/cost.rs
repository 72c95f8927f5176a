//! The cost of a program: processor time, wall clock, peak memory.
//!
//! The system reports one sum for all children that have exited, so each measurement runs in an intermediate process.

use std::io::{Error, Result};
use std::process::{Command, Stdio};

use mcp_test::clock::Stopwatch;

/// The argument that makes this program measure another one.
pub(crate) const CHILD: &str = "--measure";

/// The cost of a run of a program and of the children for which it waited.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Seconds of processor time, user and system.
    pub(crate) cpu: f64,
    /// Seconds of wall-clock time.
    pub(crate) wall: f64,
    /// The peak of resident memory, in bytes.
    pub(crate) peak: f64,
}

impl Cost {
    /// The cost of two runs, one after the other.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            cpu: self.cpu + next.cpu,
            wall: self.wall + next.wall,
            peak: self.peak.max(next.peak),
        }
    }

    /// The cost of a run of this program, without its output.
    pub(crate) fn of(command: &[String]) -> Result<Self> {
        let measuring = Command::new(std::env::current_exe()?)
            .arg(CHILD)
            .args(command)
            .stderr(Stdio::inherit())
            .output()?;
        let output = String::from_utf8_lossy(&measuring.stdout);
        let numbers: Vec<f64> = output.split_whitespace().flat_map(str::parse).collect();
        let [cpu, wall, peak] = numbers[..] else {
            return Err(Error::other(format!("no cost reported for {}", command.join(" "))));
        };
        Ok(Self { cpu, wall, peak })
    }
}

/// Runs a program and prints its cost.
pub(crate) fn run_and_print(program: &str, args: &[&str]) -> Result<()> {
    let watch = Stopwatch::start();
    let status =
        Command::new(program).args(args).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let wall = watch.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Error::other(format!("{program} {} exited with {status}", args.join(" "))));
    }
    let (cpu, peak) = of_children();
    println!("{cpu} {wall} {peak}");
    Ok(())
}

#[cfg(unix)]
fn of_children() -> (f64, f64) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;

    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (f64::NAN, f64::NAN) };
    let spent = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    let kibibytes = f64::from(i32::try_from(usage.max_rss()).unwrap_or(i32::MAX));
    (f64::from(u32::try_from(spent).unwrap_or(u32::MAX)) / 1e6, kibibytes * 1024.0)
}

#[cfg(not(unix))]
fn of_children() -> (f64, f64) {
    (f64::NAN, f64::NAN)
}
