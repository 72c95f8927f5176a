//! Cases as tests: their names, and their failures.

use std::fs;

use mcp_test_core::scenario::CallSite;
use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::{ClientTarget, Target};

use super::*;
use crate::cases::CasesFile;
use crate::harness::scenario_runs::tests::call_site;

/// A package whose files are as they were when its tests were compiled, until a test changes them.
struct Package {
    root: tempfile::TempDir,
    user: &'static UserCases,
}

const ADDS: &str = r#"
case: Adds
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "4"}]}}
---
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
---
case: Subtracts
_skip: it cannot do so yet
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "subtract"}}
"#;

fn reference() -> Target {
    everything().target()
}

impl Package {
    fn with(peer: CasesPeer, case: impl Fn(usize) -> Option<usize>) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        fs::write(root.path().join("a.yaml"), ADDS).expect("it can be written");
        let manifest_dir = root.path().to_string_lossy().into_owned();
        let test = |(at, name): (usize, &'static str)| CaseTest {
            name,
            file: 0,
            case: case(at),
            ignored: None,
        };
        let user = UserCases {
            pattern: "*.yaml",
            name: "contracts",
            site: CallSite {
                manifest_dir: String::leak(manifest_dir),
                ..call_site("calculator::inner", 12)
            },
            files: Box::leak(Box::new([CasesFile {
                path: "a.yaml",
                titles: &[Some("Adds"), Some("Pings"), Some("Subtracts")],
            }])),
            tests: Vec::leak(
                ["adds", "pings", "subtracts"].into_iter().enumerate().map(test).collect(),
            ),
            peer: Some(peer),
            revisions: None,
            transports: &[],
            timeout: None,
            baseline: None,
            tags: &[],
            skip_tags: &[],
            inputs: None,
            given: None,
            allow_commands: false,
            allow_skip: false,
            strict: false,
        };
        Self { root, user: Box::leak(Box::new(user)) }
    }

    fn of_server() -> Self {
        Self::with(CasesPeer::Server(reference), Some)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.root.path().join(file), text).expect("it can be written");
    }

    /// The result of a test, without the path of the package.
    fn result(&self, test: usize) -> String {
        self.text(run_alone(&LoadedCases::of(self.user), &self.user.tests[test]))
    }

    fn in_step(&self) -> String {
        self.text(LoadedCases::of(self.user).check_in_step())
    }

    fn text(&self, result: TestResult) -> String {
        let root = format!("{}/", self.user.site.manifest_dir);
        match result {
            TestResult::Passed => "passed".to_owned(),
            TestResult::ExpectedFailure(what) => format!("expected failure: {what}"),
            TestResult::Skipped(why) => format!("skipped: {why}"),
            TestResult::Failed(why) => why.replace(&root, ""),
        }
    }
}

#[test]
fn a_failure_names_the_place_of_its_case() {
    let package = Package::of_server();
    assert_eq!(package.result(1), "passed");
    assert_eq!(package.in_step(), "passed");
    insta::assert_snapshot!(package.result(2), @"skipped: it cannot do so yet");
    insta::assert_snapshot!(package.result(0));
}

#[test]
fn files_that_changed_after_compilation_are_reported() {
    let package = Package::of_server();
    package.write("b.yaml", ADDS);
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` differ from the cases in its files, tests/calculator.rs:12:10
      b.yaml is new, and its cases have no tests
      hint: cargo does not notice new or removed files; `touch tests/calculator.rs` makes it compile the tests again
    ");
    let package = Package::of_server();
    let shorter = ADDS.split("---\ncase: Subtracts").next().unwrap_or_default();
    package.write("a.yaml", &shorter.replace("Pings", "Is there"));
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` differ from the cases in its files, tests/calculator.rs:12:10
      a.yaml has other cases than before
      hint: cargo does not notice new or removed files; `touch tests/calculator.rs` makes it compile the tests again
    ");
    insta::assert_snapshot!(package.result(1), @"the case no longer exists; `inner::contracts::every_case_is_a_test` reports the differences");
    insta::assert_snapshot!(package.result(2), @"the case no longer exists; `inner::contracts::every_case_is_a_test` reports the differences");
    let package = Package::of_server();
    fs::rename(package.root.path().join("a.yaml"), package.root.path().join("c.yaml"))
        .expect("a new name");
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` differ from the cases in its files, tests/calculator.rs:12:10
      c.yaml is new, and its cases have no tests
      a.yaml no longer exists
      hint: cargo does not notice new or removed files; `touch tests/calculator.rs` makes it compile the tests again
    ");
}

#[test]
fn a_broken_file_is_reported_once() {
    let package = Package::of_server();
    package.write("a.yaml", "case: Adds\nouput: {}\n");
    insta::assert_snapshot!(package.result(0), @"
    error[unknown-key]: `ouput` is not a key of a case
     --> a.yaml:2:1
      |
    2 | ouput: {}
      | ^^^^^ expected `case`, or a key that begins with `in`, `out` or `_`
      |
      = help: did you mean `output`?
    ");
    insta::assert_snapshot!(package.result(1), @"the cases of `*.yaml` cannot be read; `inner::contracts::adds` reports why");
}

#[test]
fn a_client_fulfils_a_file_as_a_whole() {
    fn silent() -> ClientTarget {
        ClientTarget::future(|_| async { Ok(()) })
    }
    let package = Package::with(CasesPeer::Client(silent), |_| None);
    insta::assert_snapshot!(package.result(0));
}

#[test]
fn tests_are_named_after_their_modules() {
    let user = Package::of_server().user;
    assert_eq!(user.test_name(&user.tests[0]), "inner::contracts::adds");
    assert_eq!(user.in_step_name(), "inner::contracts::every_case_is_a_test");
}
