//! The same twenty tests with mcp-test and with the clients of three SDKs, in `examples/tests/side_by_side/`: the tests in other
//! languages pass, and the guide counts their lines correctly. Those in Rust are run as examples.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::run_command;
use pretty_assertions::assert_eq;

use crate::peers::Peers;

/// How to find the tests in a file.
struct Suite {
    /// The heading of its column.
    column: &'static str,
    file: &'static str,
    /// What the first line of a test begins with.
    first_line: &'static str,
    /// What comes before the name of a test, in its first or its second line.
    before_name: &'static str,
    /// What lines without code begin with.
    comments: &'static [&'static str],
}

const SUITES: [Suite; 4] = [
    Suite {
        column: "mcp-test",
        file: "with_mcp_test.rs",
        first_line: "#[mcp_scenario]",
        before_name: "async fn ",
        comments: &["//"],
    },
    Suite {
        column: "rmcp",
        file: "with_rmcp.rs",
        first_line: "#[tokio::test]",
        before_name: "async fn ",
        comments: &["//"],
    },
    Suite {
        column: "TypeScript SDK",
        file: "notes.test.ts",
        first_line: "test(\"",
        before_name: "test(\"",
        comments: &["//"],
    },
    Suite {
        column: "FastMCP",
        file: "test_notes.py",
        first_line: "async def test_",
        before_name: "async def test_",
        comments: &["#", "\"\"\""],
    },
];

/// The lines of code of a suite.
struct Lines {
    /// Each test, with its attributes and without the blank line after it.
    tests: Vec<(String, usize)>,
    /// Everything else: imports, connecting, handlers, helpers.
    others: usize,
}

impl Suite {
    fn lines(&self) -> Lines {
        let path = folder().join(self.file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let is_code = |line: &&str| {
            let line = line.trim_start();
            !line.is_empty() && !self.comments.iter().any(|comment| line.starts_with(comment))
        };
        let mut lines = Lines { tests: Vec::new(), others: 0 };
        let mut in_test = false;
        for line in text.lines().filter(is_code) {
            if line.starts_with(self.first_line) {
                lines.tests.push((String::new(), 0));
                in_test = true;
            } else {
                // What is at the start of a line ends a test, except for its own name and its closing bracket.
                in_test &= line.starts_with([' ', '}']) || line.starts_with(self.before_name);
            }
            match lines.tests.last_mut().filter(|_| in_test) {
                Some((name, count)) => {
                    *count += 1;
                    if let Some(named) = line.strip_prefix(self.before_name) {
                        let end = named.find(['(', '"']).unwrap_or(named.len());
                        *name = named[..end].replace(' ', "_");
                    }
                }
                None => lines.others += 1,
            }
        }
        lines
    }
}

impl Lines {
    fn in_tests(&self) -> usize {
        self.tests.iter().map(|(_, count)| count).sum()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tests/side_by_side")
}

#[test]
fn the_guide_counts_the_lines_of_each_suite() {
    let suites = SUITES.map(|suite| suite.lines());
    let names: Vec<&String> = suites[0].tests.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 20);
    for suite in &suites {
        assert_eq!(suite.tests.iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
    }

    let mut table =
        format!("| lines of code | {} |\n", SUITES.map(|suite| suite.column).join(" | "));
    table += "|---|---:|---:|---:|---:|\n";
    let mut row = |title: String, counts: [usize; 4]| {
        table += &format!("| {title} | {} |\n", counts.map(|count| count.to_string()).join(" | "));
    };
    for (index, name) in names.iter().enumerate() {
        let counts = suites.each_ref().map(|suite| suite.tests[index].1);
        row(name.replace('_', " "), counts);
    }
    row("**the twenty tests**".to_owned(), suites.each_ref().map(Lines::in_tests));
    row("imports, connection, handlers".to_owned(), suites.each_ref().map(|suite| suite.others));
    row(
        "**the whole file**".to_owned(),
        suites.each_ref().map(|suite| suite.in_tests() + suite.others),
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-test/src/guide/migrating.md");
    let page = fs::read_to_string(page).expect("the page of the guide");
    assert!(page.contains(&table), "mcp-test/src/guide/migrating.md should contain\n\n{table}");
}

/// A copy of the tests, in which the packages of npm are found.
fn copied(name: &str) -> Folder {
    let copy = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
    for suite in fs::read_dir(folder()).expect("the folder exists") {
        let path = suite.expect("its files can be listed").path();
        let name = path.file_name().expect("a file");
        fs::copy(&path, copy.path().join(name)).expect("the copy is ours");
    }
    copy
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
#[cfg(unix)]
fn the_tests_with_the_typescript_sdk_pass() {
    let peers = Peers::installed();
    let copy = copied("side-by-side-typescript");
    let packages = copy.path().join("node_modules");
    std::os::unix::fs::symlink(peers.path("npm/node_modules"), packages).expect("the copy is ours");
    let mut command = Command::new(peers.path("node"));
    command.args(["--test", "--test-reporter=tap", "notes.test.ts"]).current_dir(copy.path());
    let run = run_command(command);
    assert!(run.code == 0 && run.stdout.contains("# pass 20\n"), "{}", run.text(&[]));
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_tests_with_fastmcp_pass() {
    let peers = Peers::installed();
    let copy = copied("side-by-side-fastmcp");
    let mut command = Command::new(peers.path("venv/bin/python"));
    command.args(["-m", "pytest", "-o", "asyncio_mode=auto", "--quiet"]).current_dir(copy.path());
    let run = run_command(command);
    assert!(run.code == 0 && run.stdout.contains("20 passed"), "{}", run.text(&[]));
}
