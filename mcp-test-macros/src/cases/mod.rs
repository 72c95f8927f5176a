//! `cases!("contracts/*.yaml", …)`: the cases of YAML files as tests.
//!
//! | module | what it does |
//! |---|---|
//! | `options` | reads and vets what is written between the parentheses |
//! | `find` | from the pattern to the files |
//! | `read` | from a file to its cases, as far as a test needs to know them |
//! | `names` | what the module and the tests are called |
//! | `expand` | the registration, and a `#[test]` for each case |
//!
//! Only what decides which tests there are is read here: where the cases begin, what they are called, and which of them
//! are not run. What a case means, and what is wrong with one, is known to `mcp_test::cases`, which reads the files again
//! when a test runs. A file that is not YAML so earns no error of the compiler: its tests fail, and say what is wrong with
//! it in all the words that there are for that.

mod expand;
mod find;
mod names;
mod options;
mod read;

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Errors;
use options::Contract;

/// The macro on a token stream that needs no compiler; `root` is where the `Cargo.toml` of the package is.
pub(crate) fn cases(input: TokenStream, root: &Path) -> TokenStream {
    let mut errors = Errors::default();
    let written = options::read(input, &mut errors);
    let contract = written.as_ref().and_then(|written| options::validate(written, &mut errors));
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

/// A file, and what tests are made of it.
struct File {
    /// Its path from the root of the package, with `/` between its parts.
    path: String,
    /// What a test of the whole file is called.
    name: String,
    cases: Vec<Test>,
}

/// A case, and the test that is made of it.
struct Test {
    /// What the case is called.
    title: Option<String>,
    /// What the test is called: the module of the file, if there can be several, and the function.
    module: Option<String>,
    function: String,
    /// Why the test only runs when asked for.
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
            let text = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
            (path, read::cases(&text))
        })
        .collect();
    let only = read.iter().flat_map(|(_, cases)| cases).any(|case| case.only);
    let mut modules = names::Used::with(&[expand::IN_STEP]);
    let several = found.several;
    let mut functions = names::Used::with(&[expand::IN_STEP]);
    let file = |(path, cases): (String, Vec<read::Case>)| {
        let name = modules.name(&names::of_file(&path, &pattern));
        let module = several.then(|| name.clone());
        if several {
            functions = names::Used::default();
        }
        let test = |(index, case): (usize, read::Case)| Test {
            module: module.clone(),
            function: functions.name(&names::of_case(case.title.as_deref(), index + 1)),
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
