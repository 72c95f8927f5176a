//! What a server with [`Misbehavior::FloodsStderr`](crate::transport::fault::Misbehavior) writes to its standard error, which is
//! no fault: a client has to let it.

/// The line at its start.
#[cfg(any(test, all(unix, feature = "cli")))]
pub(crate) const FIRST_LINE: &str = "info: serving MCP over stdio\n";

/// The last line of the text before its second message.
pub(crate) const LAST_LINE: &str = "info: this was the last line\n";

/// How many bytes the text has at least: several times what a pipe holds, which is 64 KiB on most systems.
pub(crate) const LENGTH: usize = 256 * 1024;

/// How many bytes each part of the text has at most.
#[cfg(any(test, all(unix, feature = "cli")))]
pub(crate) const PART: usize = 16 * 1024;

#[cfg(any(test, all(unix, feature = "cli")))]
const LINE: &str = "info: this line is harmless, and is one of thousands\n";

/// The text before its second message, in parts.
#[cfg(any(test, all(unix, feature = "cli")))]
pub(crate) fn parts() -> impl Iterator<Item = String> {
    let lines = PART / LINE.len();
    let count = LENGTH.div_ceil(lines * LINE.len());
    std::iter::repeat_n(LINE.repeat(lines), count).chain([LAST_LINE.to_owned()])
}
