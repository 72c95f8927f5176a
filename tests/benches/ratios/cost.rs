//! What a program costs: processor time, wall clock, peak memory.
//!
//! The system tells of all ended children together, so each measurement has a process of its own in between.

use std::io::{Error, Result};
use std::process::{Command, Stdio};

use mcp_test::clock::Stopwatch;

/// The word that makes this program measure another one.
pub(crate) const CHILD: &str = "--tell-the-cost-of";

/// What a run of a program cost, with all that it started and waited for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Seconds of processor time, the system's included.
    pub(crate) cpu: f64,
    /// Seconds on the wall.
    pub(crate) wall: f64,
    /// The most memory that was resident at once, in bytes.
    pub(crate) peak: f64,
}

impl Cost {
    /// The cost of one run after the other.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            cpu: self.cpu + next.cpu,
            wall: self.wall + next.wall,
            peak: self.peak.max(next.peak),
        }
    }

    /// The cost of a run of this program; what it prints is thrown away.
    pub(crate) fn of(words: &[String]) -> Result<Self> {
        let measuring = Command::new(std::env::current_exe()?)
            .arg(CHILD)
            .args(words)
            .stderr(Stdio::inherit())
            .output()?;
        let told = String::from_utf8_lossy(&measuring.stdout);
        let numbers: Vec<f64> = told.split_whitespace().flat_map(str::parse).collect();
        let [cpu, wall, peak] = numbers[..] else {
            return Err(Error::other(format!("{} cost nobody knows what", words.join(" "))));
        };
        Ok(Self { cpu, wall, peak })
    }
}

/// Runs a program and prints what it cost.
pub(crate) fn run_and_tell(program: &str, words: &[&str]) -> Result<()> {
    let watch = Stopwatch::start();
    let status =
        Command::new(program).args(words).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let wall = watch.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Error::other(format!("{program} {} ended with {status}", words.join(" "))));
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
