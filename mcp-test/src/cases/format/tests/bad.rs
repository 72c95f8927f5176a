//! Common mistakes: each file in `bad/` has a snapshot of its diagnostics.

use std::fs;
use std::path::Path;

use crate::cases::format::read::load_bytes;
use crate::cases::{LINTS, Level, ReadOptions};

/// All files, sorted by name: the file stem and the bytes.
pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases/format/tests/bad");
    let entries = fs::read_dir(directory).expect("the directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let mut files: Vec<(String, Vec<u8>)> = paths
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let files = files();
    assert!(files.len() >= 25);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, bytes) in files {
            let diagnostics =
                load_bytes(&format!("{name}.yaml"), &bytes, &ReadOptions::default()).diagnostics;
            let worst = diagnostics.iter().map(|diagnostic| diagnostic.level).max();
            assert!(worst >= Some(Level::Warning), "{name}");
            for diagnostic in &diagnostics {
                assert!(
                    LINTS.iter().any(|lint| lint.name == diagnostic.name),
                    "{name}: {diagnostic}"
                );
                assert!(diagnostic.to_string().lines().all(|line| line.chars().count() < 200));
            }
            let rendered =
                diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n");
            insta::assert_snapshot!(name, rendered);
        }
    });
}
