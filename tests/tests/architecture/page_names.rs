//! The names in the pages for contributors: the modules, types and files that they mention exist.

use std::collections::HashSet;

use crate::source::{self, Package, Source, Token, Violation};

/// The code spans of a page that name a path of the library, a type or a file which does not exist.
pub(crate) fn unknown_names(page: &str, text: &str, library: &[Source]) -> Vec<Violation> {
    let identifiers: HashSet<&str> =
        library.iter().flat_map(Source::tokens).map(|token| token.text.as_str()).collect();
    let exists = |name: &str| match name {
        // A command, an attribute, an option or a placeholder rather than a name.
        _ if name.contains(['<', ' ', '*', '(', '"', '#', '!', '$', '=', '-']) => true,
        _ if name.contains('/') || name.ends_with(".rs") => is_file(name, library),
        _ if name.contains("::") => is_path(name, library),
        // A type. A name in upper case only is an environment variable, and one with a dot a page in the root.
        _ if name.starts_with(char::is_uppercase) && name.ends_with(char::is_lowercase) => {
            name.contains('.') || identifiers.contains(name)
        }
        _ => true,
    };
    let mut violations = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        in_block ^= line.starts_with("```");
        let spans = line.split('`').skip(1).step_by(2).filter(|_| !in_block);
        violations.extend(spans.filter(|name| !exists(name)).map(|name| Violation {
            path: page.to_owned(),
            line: number + 1,
            wrong: format!("names `{name}`, which does not exist"),
            right: "the name that the code has".to_owned(),
        }));
    }
    violations
}

/// Whether a file or folder exists, named from the root of the workspace, of the library or of a module in it.
fn is_file(name: &str, library: &[Source]) -> bool {
    let name = name.trim_end_matches('/');
    source::root().join(name).exists()
        || library.iter().any(|file| {
            // The files of the command are also named as its module is.
            let module = file.module().map(|names| names.join("/") + ".rs").unwrap_or_default();
            let is_it = |path: &str| {
                path.contains(&format!("/{name}/")) || path.ends_with(&format!("/{name}"))
            };
            is_it(file.path()) || is_it(&format!("/{module}"))
        })
}

/// Whether a path such as `trace::Recorder` or `report::failure::FailureFormatter` leads somewhere: module by module as far
/// as there are files, and from there to names that occur in the files of that module.
fn is_path(name: &str, library: &[Source]) -> bool {
    let mut module = Vec::new();
    let mut names =
        name.split("::").skip_while(|name| Package::of_crate(name).is_some()).peekable();
    while let Some(name) = names.peek() {
        module.push(*name);
        if !library.iter().any(|file| is_in(file, &module)) {
            module.pop();
            break;
        }
        names.next();
    }
    let files: Vec<&Source> = library.iter().filter(|file| is_in(file, &module)).collect();
    names.all(|name| files.iter().any(|file| defines(file, name)))
}

/// Whether a file has a type or variant of this name, or a function or module.
fn defines(file: &Source, name: &str) -> bool {
    let is_defined = |pair: &[Token]| {
        let is_type = name.starts_with(char::is_uppercase);
        pair[1].text == name && (is_type || matches!(pair[0].text.as_str(), "fn" | "mod"))
    };
    file.tokens().windows(2).any(is_defined)
}

fn is_in(file: &Source, module: &[&str]) -> bool {
    file.module().is_some_and(|inner| inner.starts_with(module))
}
