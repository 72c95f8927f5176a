//! From a path, a pattern or a directory to the files that it names.

use std::path::{MAIN_SEPARATOR, Path};

/// What stands for something else in a pattern.
const WILD: [char; 3] = ['*', '?', '['];

/// The files that are named.
pub(super) struct Found {
    /// As seen from the package, with `/` between the parts, in the order of their names; at least one.
    pub(super) files: Vec<String>,
    /// Whether there could be several, or only the one.
    pub(super) several: bool,
}

/// Whether a part of a path stands for what matches it.
pub(super) fn is_wild(part: &str) -> bool {
    part.contains(WILD)
}

/// The files below `root`, where the `Cargo.toml` of the package is.
pub(super) fn files(root: &Path, named: &str) -> Result<Found, String> {
    if named.is_empty() {
        return Err("expected the path of a file, or a pattern: \"contracts/*.yaml\"".to_owned());
    }
    if Path::new(named).is_absolute() {
        return Err(format!(
            "`{named}` is absolute: write the path as seen from the `Cargo.toml` of the package"
        ));
    }
    let path = root.join(named);
    if path.is_file() {
        return Ok(Found { files: vec![named.to_owned()], several: false });
    }
    let mut files = match path.is_dir() {
        true => {
            let mut files = matching(root, &format!("{named}/*.yaml"))?;
            files.extend(matching(root, &format!("{named}/*.yml"))?);
            files
        }
        false => matching(root, named)?,
    };
    files.sort_unstable();
    if !files.is_empty() {
        return Ok(Found { files, several: true });
    }
    let place = root.display();
    Err(if path.is_dir() {
        format!("there is no `*.yaml` or `*.yml` in `{named}` below {place}")
    } else if is_wild(named) {
        format!("no file matches `{named}` below {place}")
    } else {
        format!("there is no file `{named}` below {place}")
    })
}

fn matching(root: &Path, pattern: &str) -> Result<Vec<String>, String> {
    let base = glob::Pattern::escape(&root.to_string_lossy());
    let found = glob::glob(&format!("{base}/{pattern}"))
        .map_err(|wrong| format!("`{pattern}` is no pattern: {}", wrong.msg))?;
    let files = found.filter_map(Result::ok).filter(|path| path.is_file());
    Ok(files.filter_map(|path| below(root, &path)).collect())
}

/// The path as seen from the package.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    Some(path.replace(MAIN_SEPARATOR, "/"))
}
