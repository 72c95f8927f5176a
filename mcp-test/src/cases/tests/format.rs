//! The reference of the format: its examples can be read, and it has every key.

use crate::cases::keys::KEYS;
use crate::cases::{Cases, Level, ReadOptions};

const FORMAT: &str = include_str!("../FORMAT.md");

fn examples() -> Vec<&'static str> {
    let blocks = FORMAT.split("```yaml\n").skip(1);
    blocks.filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[test]
fn its_examples_can_be_read() {
    let examples = examples();
    assert!(examples.len() >= 5, "{}", examples.len());
    for example in examples {
        match Cases::parse("FORMAT.md", example, &ReadOptions::default()) {
            Ok((cases, complaints)) => {
                assert!(cases.iter().count() > 0);
                let told = complaints.iter().filter(|it| it.level != Level::Note);
                let told: Vec<_> = told.map(ToString::to_string).collect();
                assert!(told.is_empty(), "{}", told.join("\n\n"));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn it_shows_every_key() {
    let examples = examples().concat();
    for key in KEYS {
        assert!(examples.contains(&format!("{}:", key.name)), "{} is missing", key.name);
    }
}
