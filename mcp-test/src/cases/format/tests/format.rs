//! The documentation of the format: its examples are valid, and it shows every key.

use crate::cases::format::keys::KEYS;
use crate::cases::{Cases, Level, ReadOptions};

const FORMAT: &str = include_str!("../../FORMAT.md");

fn examples() -> Vec<&'static str> {
    let blocks = FORMAT.split("```yaml\n").skip(1);
    blocks.filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[test]
fn examples_are_valid() {
    let examples = examples();
    assert!(examples.len() >= 5, "{}", examples.len());
    for example in examples {
        match Cases::parse("FORMAT.md", example, &ReadOptions::default()) {
            Ok((cases, diagnostics)) => {
                assert!(cases.iter().count() > 0);
                let warnings = diagnostics.iter().filter(|it| it.level != Level::Note);
                let warnings: Vec<_> = warnings.map(ToString::to_string).collect();
                assert!(warnings.is_empty(), "{}", warnings.join("\n\n"));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn every_key_is_shown() {
    let examples = examples().concat();
    for key in KEYS {
        assert!(examples.contains(&format!("{}:", key.name)), "{} is missing", key.name);
    }
}
