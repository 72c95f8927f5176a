//! Finds the files of a path, a directory or a pattern.

use std::path::{MAIN_SEPARATOR, Path};

/// The wildcards of patterns.
const WILD: [char; 3] = ['*', '?', '['];

/// The files of a pattern.
pub(super) struct Found {
    /// Their paths relative to the package, with `/` as separator, sorted; at least one.
    pub(super) files: Vec<String>,
    /// Whether there could be several.
    pub(super) several: bool,
}

/// Whether a part of a path is a pattern.
pub(super) fn is_wild(part: &str) -> bool {
    part.contains(WILD)
}

/// The files below `root`, the directory of the package.
pub(super) fn files(root: &Path, named: &str) -> Result<Found, String> {
    if named.is_empty() {
        return Err("expected the path of a file, or a pattern: \"contracts/*.yaml\"".to_owned());
    }
    // It would be another path on every machine, and `include_bytes!` takes it relative to the package.
    if Path::new(named).is_absolute() {
        return Err(format!(
            "`{named}` is absolute: write the path relative to the `Cargo.toml` of the package"
        ));
    }
    let path = root.join(named);
    // Before patterns, because an existing file may have brackets in its name.
    if path.is_file() {
        return Ok(Found { files: vec![named.to_owned()], several: false });
    }
    let mut files = match path.is_dir() {
        true => {
            let yaml = matching(root, &format!("{named}/*.yaml"))?;
            [yaml, matching(root, &format!("{named}/*.yml"))?].concat()
        }
        false => matching(root, named)?,
    };
    // The two lists of a directory are each sorted, but not together.
    files.sort_unstable();
    if !files.is_empty() {
        return Ok(Found { files, several: true });
    }
    let place = root.display();
    Err(if path.is_dir() {
        format!("no `*.yaml` or `*.yml` in `{named}` below {place}")
    } else if is_wild(named) {
        format!("no file matches `{named}` below {place}")
    } else {
        format!("no file `{named}` below {place}")
    })
}

fn matching(root: &Path, pattern: &str) -> Result<Vec<String>, String> {
    // The directory of the package may contain brackets or stars, too.
    let base = glob::Pattern::escape(&root.to_string_lossy());
    let found = glob::glob(&format!("{base}/{pattern}"))
        .map_err(|wrong| format!("`{pattern}` is not a valid pattern: {}", wrong.msg))?;
    // A directory that cannot be read is left out, as a shell does.
    let files = found.filter_map(Result::ok).filter(|path| path.is_file());
    Ok(files.filter_map(|path| below(root, &path)).collect())
}

/// The path relative to the package.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    Some(path.replace(MAIN_SEPARATOR, "/"))
}
