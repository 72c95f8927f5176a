//! Mistakes that people make: each file in `bad/`, and beside it what is said of it.

use std::fs;
use std::path::Path;

use crate::cases::read::of_bytes;
use crate::cases::{LINTS, Level, ReadOptions};

/// Every file, in the order of the names: the name without its ending, and the bytes.
pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases/tests/bad");
    let entries = fs::read_dir(directory).expect("the directory is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let mut files: Vec<(String, Vec<u8>)> = paths
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("it can be read"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_mistake_is_told_at_its_place() {
    let files = files();
    assert!(files.len() >= 25);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, bytes) in files {
            let complaints =
                of_bytes(&format!("{name}.yaml"), &bytes, &ReadOptions::default()).complaints;
            let heaviest = complaints.iter().map(|complaint| complaint.level).max();
            assert!(heaviest >= Some(Level::Warning), "{name}");
            for complaint in &complaints {
                assert!(
                    LINTS.iter().any(|lint| lint.name == complaint.name),
                    "{name}: {complaint}"
                );
                assert!(complaint.to_string().lines().all(|line| line.chars().count() < 200));
            }
            let told = complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n");
            insta::assert_snapshot!(name, told);
        }
    });
}
