//! Tests that never run: in a test target without libtest, the compiler drops a `#[test]` without a warning.
//!
//! The search reads, line by line, only the files with `main!` and with scenarios. That suffices for a warning.

use std::path::Path;

use mcp_test_core::scenario::CallSite;

/// The attributes of functions that libtest would run, as far as the popular ones go.
const TEST_ATTRIBUTES: [&str; 5] =
    ["#[test]", "#[tokio::test", "#[rstest", "#[test_case", "#[wasm_bindgen_test"];

/// The tests in these files: `tests/calculator.rs:12`.
pub(super) fn find(sites: impl IntoIterator<Item = CallSite>) -> Vec<String> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for CallSite { manifest_dir, file, .. } in sites {
        if seen.contains(&file) {
            continue;
        }
        seen.push(file);
        if let Some(source) = read(manifest_dir, file) {
            found.extend(lines(&source).map(|line| format!("{file}:{line}")));
        }
    }
    found
}

/// The compiler names a file as seen from the root of the workspace, which is the package or a directory above it.
fn read(manifest_dir: &str, file: &str) -> Option<String> {
    let places = Path::new(manifest_dir).ancestors().map(|root| root.join(file));
    places.into_iter().find_map(|path| std::fs::read_to_string(path).ok())
}

fn lines(source: &str) -> impl Iterator<Item = usize> {
    let lines = source.lines().enumerate();
    lines.filter(|(_, line)| is_test_attribute(line.trim_start())).map(|(index, _)| index + 1)
}

fn is_test_attribute(line: &str) -> bool {
    TEST_ATTRIBUTES.iter().any(|attribute| line.starts_with(attribute))
}

/// The warning about these tests.
pub(super) fn warning(places: &[String]) -> String {
    let mut text = String::from(
        "warning: a `#[test]` never runs in a test target with `harness = false`; found:\n",
    );
    for place in places {
        text.push_str(&format!("  {place}\n"));
    }
    text.push_str(
        "  use `#[mcp_scenario]`, or move them to a test target with the standard harness\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_and_comments_are_not() {
        let source = "// #[test]\n#[test]\nfn a() {}\n  #[tokio::test(flavor = \"x\")]\n//! a `#[test]`\n#[mcp_scenario]\n";
        assert_eq!(lines(source).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn the_file_is_found_from_the_package_up() {
        let here = concat!("mcp-test/src/harness/", "stray.rs");
        let site = CallSite { file: here, ..crate::__private::call_site!() };
        let found = find([site, site]);
        assert_eq!(found.len(), 2, "the two tests of this file, once: {found:?}");
        insta::assert_snapshot!(warning(&found[..0]), @r"
        warning: a `#[test]` never runs in a test target with `harness = false`; found:
          use `#[mcp_scenario]`, or move them to a test target with the standard harness
        ");
    }
}
