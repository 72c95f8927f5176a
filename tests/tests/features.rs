//! What the library costs without its features, and what the compiler reports to someone who lacks one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that the default features bring to a first test; a new one makes everybody's first build longer.
const DEFAULT_CRATES: usize = 46;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cargo(directory: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TERM_COLOR", "never")
        .output()
        .unwrap_or_else(|error| panic!("cargo {arguments:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_default_build_has_as_many_crates_as_known() {
    // One platform for everyone, since each has crates of its own.
    let target = ["--target", "x86_64-unknown-linux-gnu"];
    let tree =
        ["tree", "--locked", "-p", "mcp-test", "--edges", "normal,build", "--prefix", "none"];
    let (listed, errors) = cargo(&root(), &[&tree[..], &target].concat());
    let crates: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split(" (").next())
        .filter(|it| !it.is_empty())
        .collect();
    assert_eq!(crates.len(), DEFAULT_CRATES, "{crates:#?}\n{errors}");
}

/// What the compiler reports, one line for each error, about a program that uses mcp-test without features.
fn errors_in(program: &str) -> String {
    let package = tempfile::tempdir().unwrap();
    let library = root().join("mcp-test").canonicalize().unwrap();
    let manifest = format!(
        "[package]\nname = \"without-features\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies.mcp-test]\npath = {library:?}\ndefault-features = false\n"
    );
    std::fs::write(package.path().join("Cargo.toml"), manifest).unwrap();
    // The versions that are known to build, and no others from the network.
    std::fs::copy(root().join("Cargo.lock"), package.path().join("Cargo.lock")).unwrap();
    std::fs::create_dir(package.path().join("src")).unwrap();
    std::fs::write(package.path().join("src/main.rs"), program).unwrap();
    // In a folder that later runs find again, and apart from the one whose lock the outer cargo may hold.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-features");
    let check = ["check", "--offline", "--quiet", "--target-dir", target.to_str().unwrap()];
    let (_, errors) = cargo(package.path(), &check);
    let is_shown = |line: &&str| line.starts_with("error") || line.contains("the item is gated");
    let lines = errors.lines().filter(is_shown).filter(|line| !line.contains("could not compile"));
    lines.map(|line| line.trim_start_matches([' ', '|', '-'])).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_missing_feature_is_named() {
    let by_macros = r#"
        mcp_test::main!();
        mcp_test::cases!("contracts/*.yaml");
    "#;
    insta::assert_snapshot!(errors_in(by_macros), @"
    error: `mcp_test::main!` needs the feature `harness`: cargo add --dev mcp-test --features harness
    error: `mcp_test::cases!` needs the feature `cases`: cargo add --dev mcp-test --features cases
    ");
    let by_paths_and_methods = r#"
        use mcp_test::prelude::*;
        fn main() {}
        fn by_url() -> Target {
            Target::url("http://127.0.0.1:3000/mcp")
        }
        fn by_router() -> Target {
            Target::duplex(|_| async { Ok(()) }).and_router(|| ())
        }
        async fn scenario(ctx: &mut Ctx) -> Result<()> {
            ctx.call_tool("add", json!({})).await?.assert_fits_output_schema();
            ctx.explore_tool("add").calls(200).await?;
            ctx.record_cases("contract.yaml");
            let _ = mcp_test::server::Server::new(json!({})).listen("127.0.0.1:0");
            let _ = mcp_test::conformance(by_url);
            let _ = mcp_test::guard::Guard::new();
            let _ = mcp_test::cases::Mock::read("contracts/*.yaml");
            Ok(())
        }
    "#;
    insta::assert_snapshot!(errors_in(by_paths_and_methods), @"
    error[E0433]: cannot find `guard` in `mcp_test`
    the item is gated behind the `schema` feature
    error[E0433]: cannot find `cases` in `mcp_test`
    the item is gated behind the `cases` feature
    the item is gated behind the `cases` feature
    error[E0425]: cannot find function `conformance` in crate `mcp_test`
    the item is gated behind the `harness` feature
    error[E0277]: this needs the feature `schema` of `mcp-test`
    error[E0277]: this needs the feature `explore` of `mcp-test`
    error[E0277]: this needs the feature `cases` of `mcp-test`
    error[E0277]: this needs the feature `http` of `mcp-test`
    error[E0277]: this needs the feature `http` of `mcp-test`
    error[E0277]: this needs the feature `http` of `mcp-test`
    ");
}
