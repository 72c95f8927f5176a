//! The other attributes of the function.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::last_word;
use crate::model::Errors;

/// Attributes that make a test of a function.
const TEST_MAKERS: [&str; 3] = ["test", "test_case", "rstest"];

/// Why the scenario is ignored (empty without a reason), if it is.
pub(super) fn validate(attributes: &[Attribute], errors: &mut Errors) -> Option<String> {
    let mut ignored = None;
    for attribute in attributes {
        let path = attribute.path();
        let Some(word) = last_word(path).map(ToString::to_string) else {
            continue;
        };
        if TEST_MAKERS.contains(&word.as_str()) {
            let shown = path.to_token_stream().to_string().replace(' ', "");
            errors.at(
                attribute,
                format!("`#[mcp_scenario]` makes the test by itself: remove `#[{shown}]`"),
            );
        } else if word == "mcp_scenario" {
            errors.at(attribute, "duplicate `#[mcp_scenario]`");
        } else if path.is_ident("should_panic") {
            errors.at(
                attribute,
                "`#[should_panic]` would take every failure for a success, one of the harness too: \
                 assert the error reply that is expected instead",
            );
        } else if path.is_ident("ignore") {
            match reason(&attribute.meta) {
                Some(reason) => ignored = ignored.or(Some(reason)),
                None => errors.at(attribute, "write `#[ignore]`, or `#[ignore = \"why\"]`"),
            }
        }
    }
    ignored
}

fn reason(ignore: &Meta) -> Option<String> {
    match ignore {
        Meta::Path(_) => Some(String::new()),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(reason), .. }) => Some(reason.value()),
            _ => None,
        },
        Meta::List(_) => None,
    }
}

/// Whether an attribute only makes sense on a test, and not on the function that the test calls.
pub(crate) fn belongs_to_tests(attribute: &Attribute) -> bool {
    let path = attribute.path();
    path.is_ident("ignore")
        || path.is_ident("should_panic")
        || last_word(path).is_some_and(|word| {
            word == "mcp_scenario" || TEST_MAKERS.iter().any(|maker| word == maker)
        })
}

/// Whether an attribute sets the level of a lint.
pub(crate) fn is_lint_level(attribute: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"]
        .iter()
        .any(|level| attribute.path().is_ident(level))
}
