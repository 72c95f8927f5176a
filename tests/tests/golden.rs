//! Golden snapshots with the real `cargo-insta`: pending, accepted, rejected.
//!
//! `MCP_TEST_CARGO_INSTA` names it, else it is looked up in `PATH`; tests that need it fail without it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = "\
[workspace]

[package]
name = 'fixture'
version = '0.0.0'

[lib]
path = 'lib.rs'
";

/// A workspace for one test, which insta uses as that of the fixture.
struct Workspace(PathBuf);

impl Workspace {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}"));
        // Remove the files of an earlier run.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).expect("a directory");
        // cargo-insta asks cargo about the package.
        fs::write(root.join("Cargo.toml"), MANIFEST).expect("a manifest");
        fs::write(root.join("lib.rs"), "").expect("a library");
        Self(root)
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for variable in
            ["CI", "TF_BUILD", "INSTA_UPDATE", "INSTA_OUTPUT", "INSTA_FORCE_PASS", "RUST_BACKTRACE"]
        {
            command.env_remove(variable);
        }
        command.env("INSTA_WORKSPACE_ROOT", &self.0).current_dir(&self.0);
        command
    }

    fn test(&self, environment: &[(&str, &str)]) -> Test {
        let mut command = self.command(env!("CARGO_BIN_EXE_golden"));
        let output =
            command.envs(environment.iter().copied()).output().expect("the fixture starts");
        Test {
            passed: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    }

    fn insta(&self, program: &Path, what: &str) -> String {
        let mut command = self.command(program);
        let output = command.arg("insta").arg(what).arg("--workspace-root").arg(&self.0).output();
        let output = output.expect("cargo-insta starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// The names of all snapshots, pending ones with `.new`.
    fn snapshots(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.0.join("tests/fixtures/snapshots")) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> =
            names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

struct Test {
    passed: bool,
    stdout: String,
}

fn cargo_insta() -> PathBuf {
    let named = env::var_os("MCP_TEST_CARGO_INSTA").map(PathBuf::from);
    let found = named.or_else(|| {
        let path = env::var_os("PATH")?;
        let places = env::split_paths(&path).map(|directory| directory.join("cargo-insta"));
        places.into_iter().find(|place| place.is_file())
    });
    found.expect("cargo-insta is in PATH, or MCP_TEST_CARGO_INSTA names it")
}

const SNAPSHOT: &str = "golden__pings.snap";
const PENDING: &str = "golden__pings.snap.new";

#[test]
#[ignore = "needs cargo-insta"]
fn a_pending_snapshot_is_accepted_and_a_wrong_one_rejected() {
    let insta = cargo_insta();
    let workspace = Workspace::new("review");

    assert!(!workspace.test(&[]).passed, "a new snapshot fails");
    assert_eq!(workspace.snapshots(), [PENDING]);
    assert!(
        workspace.insta(&insta, "pending-snapshots").contains(PENDING.trim_end_matches(".new"))
    );
    workspace.insta(&insta, "accept");
    assert_eq!(workspace.snapshots(), [SNAPSHOT]);
    assert!(workspace.test(&[]).passed);

    assert!(!workspace.test(&[("GOLDEN_TWICE", "1")]).passed, "another conversation fails");
    assert_eq!(workspace.snapshots(), [SNAPSHOT, PENDING]);
    workspace.insta(&insta, "reject");
    assert_eq!(workspace.snapshots(), [SNAPSHOT]);
    assert!(workspace.test(&[]).passed);
}

#[test]
fn in_ci_nothing_is_written() {
    let workspace = Workspace::new("ci");
    assert!(!workspace.test(&[("CI", "true")]).passed);
    assert_eq!(workspace.snapshots(), [""; 0]);
}

#[test]
fn the_difference_is_shown_once_by_insta_or_by_us() {
    let workspace = Workspace::new("difference");
    assert!(workspace.test(&[("INSTA_UPDATE", "always")]).passed, "it is accepted at once");

    let by_insta = workspace.test(&[("CI", "true"), ("GOLDEN_TWICE", "1")]).stdout;
    assert_eq!(by_insta.matches("+3  client → server  ping\n").count(), 1, "{by_insta}");
    assert_eq!(by_insta.matches("client → server  ping").count(), 2, "{by_insta}");

    let by_us =
        workspace.test(&[("CI", "true"), ("GOLDEN_TWICE", "1"), ("INSTA_OUTPUT", "none")]).stdout;
    insta::assert_snapshot!(failure(&by_us));
}

/// The failure in the output of a test binary.
fn failure(output: &str) -> &str {
    let (_, failure) = output.split_once("failures:\n").expect("a failure");
    failure.split_once("\n\n\nfailures:").expect("the list of failures").0
}

#[test]
fn each_snapshot_of_a_scenario_has_a_name_of_its_own() {
    let workspace = Workspace::new("named");
    let test = workspace.test(&[("INSTA_UPDATE", "always"), ("GOLDEN_NAMED", "1")]);
    assert!(!test.passed, "{}", test.stdout);
    insta::assert_snapshot!(failure(&test.stdout));
    assert_eq!(workspace.snapshots(), ["golden__pings-after-the-second-ping.snap", SNAPSHOT]);
}
