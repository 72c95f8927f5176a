//! The other attributes of the function.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::last_segment;
use crate::model::Errors;

/// Attributes that turn a function into a test.
const TEST_ATTRIBUTES: [&str; 3] = ["test", "test_case", "rstest"];

/// Why the scenario is ignored (empty without a reason), if it is.
pub(super) fn validate(attributes: &[Attribute], errors: &mut Errors) -> Option<String> {
    let mut ignored = None;
    for attribute in attributes {
        let path = attribute.path();
        // Only the last segment counts: `tokio::test` makes a test, too, and an attribute may be imported.
        let Some(word) = last_segment(path).map(ToString::to_string) else { continue };
        if is_expanded_test(attribute) {
            errors.at(
                attribute,
                "`#[mcp_scenario]` already makes this a test: remove the attribute above it that makes one, such as \
                 `#[tokio::test]`",
            );
        } else if TEST_ATTRIBUTES.contains(&word.as_str()) {
            let shown = path.to_token_stream().to_string().replace(' ', "");
            let message = "`#[mcp_scenario]` already makes this a test: remove";
            errors.at(attribute, format!("{message} `#[{shown}]`"));
        } else if word == "mcp_scenario" {
            // This one is removed before the macro gets the function, so it is a second one.
            errors.at(attribute, "duplicate `#[mcp_scenario]`");
        } else if path.is_ident("should_panic") {
            errors.at(
                attribute,
                "`#[should_panic]` would count every failure as a success, including those of the harness: \
                 assert the error reply that is expected instead",
            );
        } else if path.is_ident("ignore") {
            match reason(&attribute.meta) {
                // The compiler warns about a second `#[ignore]` itself.
                Some(reason) => ignored = ignored.or(Some(reason)),
                None => errors.at(attribute, "write `#[ignore]`, or `#[ignore = \"why\"]`"),
            }
        }
    }
    ignored
}

/// Whether it is what an attribute above, such as `#[tokio::test]`, has left: it is expanded before the macro gets the function, and
/// names Rust's own attribute by its full path.
pub(super) fn is_expanded_test(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    segments.first().is_some_and(|first| first.ident == "core" || first.ident == "std")
        && segments.last().is_some_and(|last| last.ident == "test")
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
        || last_segment(path).is_some_and(|word| {
            word == "mcp_scenario" || TEST_ATTRIBUTES.iter().any(|maker| word == maker)
        })
}

/// Whether an attribute sets the level of a lint.
pub(crate) fn is_lint_level(attribute: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"]
        .iter()
        .any(|level| attribute.path().is_ident(level))
}
