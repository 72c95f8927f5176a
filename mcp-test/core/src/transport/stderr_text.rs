//! What a server with [`Misbehavior::FloodsStderr`](crate::transport::fault::Misbehavior) writes to its standard error, which is
//! no fault: a client has to let it.

/// The line at its start.
#[cfg(any(test, all(unix, feature = "suite")))]
pub(crate) const FIRST_LINE: &str = "info: serving MCP over stdio\n";

/// How many parts the text before its second message has: 1 MiB. A pipe holds 64 KiB on most systems, and the sockets that some
/// clients use instead hold several times as much.
pub const PARTS: usize = 64;

/// How many bytes each part has at most.
pub const PART: usize = 16 * 1024;

/// The line that a part repeats, and that a trace keeps of it.
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
