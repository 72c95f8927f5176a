//! From a pattern to the files that it names.

use std::path::Path;

/// What is written between a backslash and the end of what a pattern can say.
const WILD: [char; 3] = ['*', '?', '['];

/// Whether it can name several files.
pub(super) fn is_pattern(pattern: &str) -> bool {
    pattern.contains(WILD)
}

/// The files, from `root`, in the order of their names; at least one.
pub(super) fn files(root: &Path, pattern: &str) -> Result<Vec<String>, String> {
    if pattern.is_empty() {
        return Err("expected the path of a file, or a pattern: \"contracts/*.yaml\"".to_owned());
    }
    if Path::new(pattern).is_absolute() {
        return Err(format!(
            "`{pattern}` is absolute: write the path as seen from the `Cargo.toml` of the package"
        ));
    }
    let base = glob::Pattern::escape(&root.to_string_lossy());
    let found = glob::glob(&format!("{base}/{pattern}"))
        .map_err(|wrong| format!("`{pattern}` is no pattern: {}", wrong.msg))?;
    let mut files: Vec<String> = found
        .filter_map(Result::ok)
        .filter(|path| path.is_file())
        .filter_map(|path| below(root, &path))
        .collect();
    files.sort_unstable();
    if files.is_empty() {
        return Err(nothing(root, pattern));
    }
    Ok(files)
}

/// The path as seen from the package; of one beside the package, as the pattern has it.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    Some(path.replace(std::path::MAIN_SEPARATOR, "/"))
}

fn nothing(root: &Path, pattern: &str) -> String {
    let place = root.display();
    if root.join(pattern).is_dir() {
        return format!("`{pattern}` is a directory: name its files, `{pattern}/*.yaml`");
    }
    if is_pattern(pattern) {
        format!("`{pattern}` names no file below {place}")
    } else {
        format!("there is no file `{pattern}` below {place}")
    }
}
