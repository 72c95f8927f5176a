//! Tests that would vanish: a `#[test]` in a test target without libtest is dropped by the compiler without a word.
//!
//! Only the files are read that are known, those with `main!` and with scenarios, and line by line: it is a warning, not
//! a verdict.

use std::path::Path;

/// What marks a function as a test that libtest would run.
const MARKS: [&str; 5] =
    ["#[test]", "#[tokio::test", "#[rstest", "#[test_case", "#[wasm_bindgen_test"];

/// Where in these files such tests stand: `tests/calculator.rs:12`.
pub(super) fn find<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (manifest_dir, file) in files {
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
    lines.filter(|(_, line)| is_mark(line.trim_start())).map(|(index, _)| index + 1)
}

fn is_mark(line: &str) -> bool {
    MARKS.iter().any(|mark| line.starts_with(mark))
}

/// What to say about them.
pub(super) fn warning(places: &[String]) -> String {
    let mut text = String::from(
        "warning: in a test target with `harness = false` a `#[test]` is never run, and here are some:\n",
    );
    for place in places {
        text.push_str(&format!("  {place}\n"));
    }
    text.push_str(
        "  make them `#[mcp_scenario]`, or move them to a test target with the standard harness\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_and_talk_about_them_is_not() {
        let source = "// #[test]\n#[test]\nfn a() {}\n  #[tokio::test(flavor = \"x\")]\n//! a `#[test]`\n#[mcp_scenario]\n";
        assert_eq!(lines(source).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn the_file_is_found_from_the_package_up() {
        let here = concat!("mcp-test/src/harness/", "stray.rs");
        let found = find([(env!("CARGO_MANIFEST_DIR"), here), (env!("CARGO_MANIFEST_DIR"), here)]);
        assert_eq!(found.len(), 2, "the two tests of this file, once: {found:?}");
        insta::assert_snapshot!(warning(&found[..0]), @r"
        warning: in a test target with `harness = false` a `#[test]` is never run, and here are some:
          make them `#[mcp_scenario]`, or move them to a test target with the standard harness
        ");
    }
}
