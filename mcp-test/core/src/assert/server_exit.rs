//! Assertions about the end of a server: its exit code, and its stderr.

use std::borrow::Cow;

use super::text::quoted;
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::client::ServerExit;
use crate::expect::words;
use crate::process::Exit;

/// How many lines of stderr a message shows, the last ones.
const SHOWN: usize = 5;

impl Staged for ServerExit {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Owned(self.trace()), revision: self.revision() }
    }
}

plain_assertions! { [] ServerExit {
    /// Asserts the exit code of the server's program.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.list_tools().await?.assert_tool("add");
    /// ctx.disconnect().await?.assert_exit_code(0).assert_orderly().assert_no_stderr();
    /// # Ok(())
    /// # }
    /// ```
    assert_exit_code / try_exit_code (self, code: i32) { check_exit_code(&self, code) }

    /// Asserts that the server ended on its own when its input ended, without a signal.
    assert_orderly / try_orderly (self) { check_orderly(&self) }

    /// Asserts that a line of the server's stderr contains this text.
    assert_stderr_contains / try_stderr_contains (self, part: &str) { check_stderr_contains(&self, part) }

    /// Asserts that the server wrote nothing to stderr.
    assert_no_stderr / try_no_stderr (self) { check_no_stderr(&self) }
}}

/// Only a program exits and writes to stderr.
fn exit(server: &ServerExit) -> Result<Exit, Finding> {
    server.exit().ok_or_else(|| {
        Finding::test("the server under test is not a program that the test has started")
            .expected("a server over stdio, such as `Target::command`")
            .got(format!("a server over {}", server.transport()))
    })
}

fn check_exit_code(server: &ServerExit, code: i32) -> Result<(), Finding> {
    let exit = exit(server)?;
    if exit == Exit::Code(code) {
        return Ok(());
    }
    Err(Finding::peer("the program of the server ended in an unexpected way")
        .expected(format!("exit code {code}"))
        .got(with_stderr(exit.to_string(), server)))
}

fn check_orderly(server: &ServerExit) -> Result<(), Finding> {
    if server.is_orderly() {
        return Ok(());
    }
    Err(Finding::peer("the server did not end on its own when its input ended")
        .expected("an exit without a signal")
        .got(server.how()))
}

fn check_stderr_contains(server: &ServerExit, part: &str) -> Result<(), Finding> {
    exit(server)?;
    let lines = server.stderr();
    if lines.iter().any(|line| line.contains(part)) {
        return Ok(());
    }
    let got = describe(&lines);
    Err(Finding::peer("unexpected output of the server on stderr")
        .expected(format!("a line that contains {}", quoted(part)))
        .got(got))
}

fn check_no_stderr(server: &ServerExit) -> Result<(), Finding> {
    exit(server)?;
    let lines = server.stderr();
    if lines.is_empty() {
        return Ok(());
    }
    Err(Finding::peer("unexpected output of the server on stderr")
        .expected("no output")
        .got(describe(&lines)))
}

fn with_stderr(got: String, server: &ServerExit) -> String {
    match server.stderr() {
        lines if lines.is_empty() => got,
        lines => format!("{got}; on stderr {}", describe(&lines)),
    }
}

/// The last lines.
fn describe(lines: &[String]) -> String {
    let last = &lines[lines.len().saturating_sub(SHOWN)..];
    let last = words::list(last.iter().map(|line| quoted(line)), "and");
    match lines.len() - lines.len().min(SHOWN) {
        0 if lines.is_empty() => "no output".to_owned(),
        0 => last,
        more => format!("{} and then {last}", words::count(more, "line")),
    }
}
