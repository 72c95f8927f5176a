//! `cargo mcp-test` runs the program from a checkout.

use std::process::Command;

use mcp_test::json::Value;

fn cargo(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(words)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap_or_else(|why| panic!("cargo: {why}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn cargo_has_an_alias_that_names_the_binary() {
    let commands = cargo(&["--list"]);
    let alias = commands.lines().find_map(|line| line.trim().strip_prefix("mcp-test "));
    let alias = alias.unwrap_or_else(|| panic!("no alias in\n{commands}")).trim();
    assert_eq!(alias, "alias: run --package mcp-test-cli --bin mcp-test --");

    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata = Value::parse(metadata.as_bytes()).expect("metadata is JSON").value;
    let members = |value: &Value, name: &str| -> Vec<Value> {
        value.get(name).and_then(Value::as_array).unwrap_or_default().to_vec()
    };
    let named = |name: &str| {
        let name = name.to_owned();
        move |value: &Value| value.get("name").and_then(Value::as_str) == Some(name.as_str())
    };
    let package = members(&metadata, "packages").into_iter().find(named("mcp-test-cli"));
    let package = package.expect("the package is there");
    let is_binary = |target: &Value| members(target, "kind").contains(&Value::from("bin"));
    let targets = members(&package, "targets");
    let binary = targets.iter().filter(|target| is_binary(target)).find(|it| named("mcp-test")(it));
    assert!(binary.is_some(), "no such binary among {targets:?}");
}
