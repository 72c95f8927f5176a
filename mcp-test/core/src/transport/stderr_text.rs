//! The text that a server with [`Misbehavior::FloodsStderr`](crate::transport::fault::Misbehavior) writes to its standard error.
//! This is allowed, and a client must tolerate it.

/// The line at its start.
#[cfg(any(test, all(unix, feature = "suite")))]
pub(crate) const FIRST_LINE: &str = "info: serving MCP over stdio\n";

/// The number of parts of the text that it writes before its second message, 1 MiB in total. A pipe holds 64 KiB on most systems,
/// and the sockets that some clients use instead hold several times as much.
pub const PARTS: usize = 64;

/// How many bytes each part has at most.
pub const PART: usize = 16 * 1024;

/// The line that a part repeats; a trace keeps only one copy of it.
pub fn line_of(part: usize) -> String {
    format!("info: this harmless text has {PARTS} parts, of which this is part {part}\n")
}

/// The parts of the text.
#[cfg(any(test, all(unix, feature = "suite")))]
pub(crate) fn parts() -> impl Iterator<Item = String> {
    (1..=PARTS).map(|part| {
        let line = line_of(part);
        line.repeat(PART / line.len())
    })
}
