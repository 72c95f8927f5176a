//! `cases!("contracts/*.yaml", …)`: expands the cases of YAML files to tests.
//!
//! | module | what it does |
//! |---|---|
//! | `options` | parses and validates the arguments |
//! | `find` | finds the files of a pattern |
//! | `read` | reads what a test needs to know of the cases of a file |
//! | `names` | the names of the module and the tests |
//! | `expand` | expands to the registration, and a `#[test]` for each case |
//!
//! Only what determines the tests is read here: the names of the cases, and which of them are ignored. `mcp_test::cases` reads
//! the files again when a test runs, and reports errors in them. A file that is not YAML is therefore not a compile error: its
//! tests fail with full diagnostics.

mod expand;
mod find;
mod names;
mod options;
mod read;

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use self::options::Contract;
use crate::model::Errors;

/// The macro as a function of token streams that unit tests can call; `root` is the directory of the package's `Cargo.toml`.
pub(crate) fn cases(input: TokenStream, root: &Path) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = options::read(input, &mut errors);
    let contract =
        arguments.as_ref().and_then(|arguments| options::validate(arguments, &mut errors));
    let Some(contract) = contract.filter(|_| errors.is_empty()) else {
        return quote!(#errors);
    };
    match files(&contract, root) {
        Ok(files) => expand::expand(&contract, &files),
        Err(mistake) => {
            errors.at(contract.pattern, mistake);
            quote!(#errors)
        }
    }
}

/// A file and its tests.
struct File {
    /// Its path relative to the package, with `/` as separator.
    path: String,
    /// The name of the test of the whole file.
    name: String,
    cases: Vec<Test>,
}

/// A case and its test.
struct Test {
    /// The name of the case.
    title: Option<String>,
    /// The name of the test: the module of the file, if there can be several, and the function.
    module: Option<String>,
    function: String,
    /// Why the test is ignored.
    ignored: Option<String>,
    /// Whether it is a test at all.
    wanted: bool,
}

fn files(contract: &Contract<'_>, root: &Path) -> Result<Vec<File>, String> {
    let pattern = contract.pattern.value();
    let found = find::files(root, &pattern)?;
    let read: Vec<(String, Vec<read::Case>)> = found
        .files
        .into_iter()
        .map(|path| {
            // Unreadable files have no tests here; `every_case_is_a_test` reports why they cannot be read.
            let text = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
            (path, read::cases(&text))
        })
        .collect();
    // In all files: `_only` in one of them excludes the cases of the others.
    let only = read.iter().flat_map(|(_, cases)| cases).any(|case| case.only);
    // In the module of the pattern, this name belongs to the test that checks the cases.
    let mut modules = names::Used::with(&[expand::COMPLETENESS_TEST]);
    let several = found.several;
    let mut functions = names::Used::with(&[expand::COMPLETENESS_TEST]);
    let file = |(path, cases): (String, Vec<read::Case>)| {
        let name = modules.name(&names::name_for_file(&path, &pattern));
        let module = several.then(|| name.clone());
        if several {
            // Each file has a module of its own, in which all names are free.
            functions = names::Used::default();
        }
        let test = |(index, case): (usize, read::Case)| Test {
            module: module.clone(),
            function: functions.name(&names::name_for_case(case.title.as_deref(), index + 1)),
            wanted: contract.wants(&case.tags),
            ignored: match case.skip {
                Some(reason) => Some(reason),
                None if only && !case.only => Some("another case has `_only`".to_owned()),
                None => None,
            },
            title: case.title,
        };
        File { cases: cases.into_iter().enumerate().map(test).collect(), path, name }
    };
    Ok(read.into_iter().map(file).collect())
}

#[cfg(test)]
mod tests;
