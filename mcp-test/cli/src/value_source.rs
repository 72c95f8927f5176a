//! The value of an option that is a secret: given as it is, from a file, or from environment variables.

use mcp_test_core::files;

/// Why the value of an option cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub(super) enum ValueError {
    /// The file cannot be read.
    #[error("cannot read {file}: {source}")]
    File { file: String, source: std::io::Error },
    /// A `${` has no `}`.
    #[error("`${{` is not closed by `}}`")]
    Unclosed,
    /// The environment variable does not exist.
    #[error("the environment variable {0} is not set")]
    Unset(String),
}

/// Resolves the value of an option: `@FILE` reads a file, otherwise `${VAR}` is replaced by a variable.
pub(super) fn resolve_value(
    value: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ValueError> {
    let Some(file) = value.strip_prefix('@') else { return expand(value, variable) };
    let text = files::read_text(file, files::OPTION_VALUE)
        .map_err(|source| ValueError::File { file: file.to_owned(), source })?;
    // Editors end a file with a line break, which is not part of the value.
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Replaces `${NAME}` by the environment variable, so that secrets need not be on the command line.
fn expand(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, ValueError> {
    let mut expanded = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, tail) = after.split_once('}').ok_or(ValueError::Unclosed)?;
        expanded.push_str(before);
        expanded.push_str(&variable(name).ok_or_else(|| ValueError::Unset(name.to_owned()))?);
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}
