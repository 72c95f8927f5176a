//! The comparison with a baseline, in the official words.

use mcp_test_core::expect::words;
use mcp_test_core::run::Comparison;

use super::palette::{BAD, GOOD, UNSURE};

/// The sections of a comparison with a baseline, in the official words.
pub(super) fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    let sections = [
        ("Expected failures (in baseline):", UNSURE, "~", &comparison.expected),
        (
            "Stale baseline entries (now passing - remove from baseline):",
            UNSURE,
            "✓",
            &comparison.stale,
        ),
        ("Unexpected failures (not in baseline):", BAD, "✗", &comparison.unexpected),
    ];
    for (heading, style, mark, entries) in sections {
        // The official suite leaves out empty sections.
        if entries.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{style}{heading}{style:#}\n"));
        for entry in entries {
            let entry = words::name(&entry.to_string());
            text.push_str(&format!("  {mark} {entry}\n"));
        }
    }
    text.push('\n');
    if !comparison.stale.is_empty() {
        text.push_str(&format!(
            "{UNSURE}Baseline is stale: update your expected-failures file to remove passing entries.{UNSURE:#}\n"
        ));
    }
    if !comparison.unexpected.is_empty() {
        text.push_str(&format!(
            "{BAD}Unexpected failures detected: these are not in your expected-failures baseline.{BAD:#}\n"
        ));
    }
    if comparison.stale.is_empty() && comparison.unexpected.is_empty() {
        text.push_str(&format!(
            "{GOOD}Baseline check passed: all failures are expected.{GOOD:#}\n"
        ));
    }
    text
}
