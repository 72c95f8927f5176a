//! Opening a URL in the browser of the person at the terminal.

use std::io;
use std::process::{Command, Stdio};
use std::thread;

use mcp_test_core::oauth::redirect_uri::is_secure;
use reqwest::Url;

#[cfg(target_os = "macos")]
const OPENER: &[&str] = &["open"];
#[cfg(windows)]
const OPENER: &[&str] = &["rundll32", "url.dll,FileProtocolHandler"];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: &[&str] = &["xdg-open"];

/// Opens a URL with the opener of the system, without a shell; only one of `https`, or of `http` to this machine.
///
/// The browser is not ours: it is not ended with the run.
pub(super) fn open(url: &str) -> io::Result<()> {
    if !Url::parse(url).is_ok_and(|url| is_secure(&url)) {
        return Err(io::Error::other("it is not a URL of https, or of http to this machine"));
    }
    let [program, args @ ..] = OPENER else { return Err(io::ErrorKind::Unsupported.into()) };
    let mut command = Command::new(program);
    command.args(args).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C at the terminal is not meant for the browser.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // It exits as soon as the browser has the URL, or when the browser ends.
    thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_secure_page_is_opened() {
        for url in ["javascript:alert(1)", "file:///etc/passwd", "http://example.com/", "-x", ""] {
            assert!(open(url).is_err(), "{url}");
        }
    }
}
