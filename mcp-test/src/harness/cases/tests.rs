//! Cases as tests: what they are called, and what is told when they fail.

use std::fs;

use super::*;
use crate::cases::CasesFile;
use crate::server::reference::everything;
use crate::transport::{ClientTarget, Target};

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
            module_path: "calculator::inner",
            file: "tests/calculator.rs",
            line: 12,
            column: 20,
            manifest_dir: String::leak(manifest_dir),
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

    /// What comes of a test, with the place of the package left out.
    fn came(&self, test: usize) -> String {
        self.told(alone(&Shelf::of(self.user), &self.user.tests[test]))
    }

    fn in_step(&self) -> String {
        self.told(Shelf::of(self.user).in_step())
    }

    fn told(&self, came: Came) -> String {
        let root = format!("{}/", self.user.manifest_dir);
        match came {
            Came::Passed => "passed".to_owned(),
            Came::Skipped(why) => format!("skipped: {why}"),
            Came::Failed(why) => why.replace(&root, ""),
        }
    }
}

#[test]
fn a_case_is_told_with_its_place() {
    let package = Package::of_server();
    assert_eq!(package.came(1), "passed");
    assert_eq!(package.in_step(), "passed");
    insta::assert_snapshot!(package.came(2), @"skipped: it cannot do so yet");
    insta::assert_snapshot!(package.came(0));
}

#[test]
fn what_the_compiler_has_not_seen_is_told() {
    let package = Package::of_server();
    package.write("b.yaml", ADDS);
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` are not the cases that its files hold, tests/calculator.rs:12:20
      b.yaml has come, and its cases are no tests
      hint: the compiler does not see a file that comes or goes; it compiles the tests again after `touch tests/calculator.rs`
    ");
    let package = Package::of_server();
    let shorter = ADDS.split("---\ncase: Subtracts").next().unwrap_or_default();
    package.write("a.yaml", &shorter.replace("Pings", "Is there"));
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` are not the cases that its files hold, tests/calculator.rs:12:20
      a.yaml holds other cases than before
      hint: the compiler does not see a file that comes or goes; it compiles the tests again after `touch tests/calculator.rs`
    ");
    insta::assert_snapshot!(package.came(1), @"the case is not there any more; `inner::contracts::every_case_is_a_test` tells more");
    insta::assert_snapshot!(package.came(2), @"the case is not there any more; `inner::contracts::every_case_is_a_test` tells more");
    let package = Package::of_server();
    fs::rename(package.root.path().join("a.yaml"), package.root.path().join("c.yaml"))
        .expect("a new name");
    insta::assert_snapshot!(package.in_step(), @"
    the tests of `*.yaml` are not the cases that its files hold, tests/calculator.rs:12:20
      c.yaml has come, and its cases are no tests
      a.yaml is gone
      hint: the compiler does not see a file that comes or goes; it compiles the tests again after `touch tests/calculator.rs`
    ");
}

#[test]
fn what_is_wrong_with_a_file_is_told_once() {
    let package = Package::of_server();
    package.write("a.yaml", "case: Adds\nouput: {}\n");
    insta::assert_snapshot!(package.came(0), @"
    error[unknown-key]: `ouput` is no key of a case
     --> a.yaml:2:1
      |
    2 | ouput: {}
      | ^^^^^ neither `case`, nor does it begin with `in`, `out` or `_`
      |
      = help: did you mean `output`?
    ");
    insta::assert_snapshot!(package.came(1), @"the cases of `*.yaml` cannot be read; `inner::contracts::adds` tells why");
}

#[test]
fn a_client_is_held_to_a_file() {
    fn silent() -> ClientTarget {
        ClientTarget::future(|_| async { Ok(()) })
    }
    let package = Package::with(CasesPeer::Client(silent), |_| None);
    insta::assert_snapshot!(package.came(0));
}

#[test]
fn tests_are_called_after_their_modules() {
    let user = Package::of_server().user;
    assert_eq!(user.test_name(&user.tests[0]), "inner::contracts::adds");
    assert_eq!(user.in_step_name(), "inner::contracts::every_case_is_a_test");
}
