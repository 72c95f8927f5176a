//! Validates the cases of a parametrised scenario, and names them.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, Ident, PathArguments, Signature, Token};

use crate::model::{Case, Errors, Options, ParsedOption};

/// A longer name made of values is not readable.
const LONGEST: usize = 40;

/// Reads all cases.
pub(super) fn validate<'a>(written: &'a [ParsedOption], errors: &mut Errors) -> Vec<Case<'a>> {
    let mut parsed = Vec::new();
    for option in written.iter().filter(|option| option.name == "case") {
        match option.value.as_ref().and_then(call) {
            Some((name, call)) if call.args.is_empty() => {
                let named = name.map(|name| format!("::{name}")).unwrap_or_default();
                errors.at(call, format!("a case has arguments: `case{named}(1, \"two\")`"));
            }
            Some(case) => parsed.push(case),
            None => {
                let message =
                    "expected the arguments of a case: `case(1, 2)` or `case::name(1, 2)`";
                match &option.value {
                    Some(value) => errors.at(value, message),
                    None => errors.at(&option.name, message),
                }
            }
        }
    }
    if let Some((_, first)) = parsed.first() {
        for (_, call) in &parsed[1..] {
            if call.args.len() != first.args.len() {
                let (here, there) = (arguments(call.args.len()), first.args.len());
                errors.at(call, format!("this case has {here}, the first one has {there}"));
            }
        }
    }
    named(&parsed, errors)
}

/// The name of a case, and its arguments.
fn call(value: &Expr) -> Option<(Option<&Ident>, &ExprCall)> {
    let Expr::Call(call) = value else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let has_arguments = |it: &syn::PathSegment| !matches!(it.arguments, PathArguments::None);
    if !call.attrs.is_empty() || path.path.segments.iter().any(has_arguments) {
        return None;
    }
    let mut segments = path.path.segments.iter();
    let (case, name, rest) = (segments.next()?, segments.next(), segments.next());
    (case.ident == "case" && rest.is_none()).then(|| (name.map(|it| &it.ident), call))
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// Gives each case the name of its test: the one that was written, or one made of its values.
fn named<'a>(parsed: &[(Option<&'a Ident>, &'a ExprCall)], errors: &mut Errors) -> Vec<Case<'a>> {
    let mut used = BTreeSet::new();
    for name in parsed.iter().filter_map(|(name, _)| *name) {
        if !used.insert(name.to_string()) {
            errors.at(name, format!("two cases have the name `{name}`"));
        }
    }
    let mut cases = Vec::new();
    for (index, (name, call)) in parsed.iter().enumerate() {
        let name = match name {
            Some(name) => (*name).clone(),
            None => {
                let values = name_for_values(&call.args).filter(|name| !used.contains(name));
                let mut numbered = (index + 1..).map(|number| format!("case_{number}"));
                let name = values.or_else(|| numbered.find(|name| !used.contains(name)));
                let name = name.unwrap_or_default();
                used.insert(name.clone());
                // Not the hygiene of the macro: the name is part of the path of the test.
                format_ident!("{name}", span = Span::call_site())
            }
        };
        cases.push(Case { name, call });
    }
    cases
}

/// `case_1_two` for `case(1, "two")`.
fn name_for_values(values: &Punctuated<Expr, Token![,]>) -> Option<String> {
    let mut name = String::from("case");
    for value in values {
        let text = value.to_token_stream().to_string().replace('-', " minus ").to_lowercase();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty()) {
            name.push('_');
            name.push_str(word);
        }
    }
    (name != "case" && name.len() <= LONGEST).then_some(name)
}

/// Whether the function takes the values of its setups; an error if its arguments do not fit.
pub(super) fn takes_values(
    signature: &Signature,
    options: &Options<'_>,
    errors: &mut Errors,
) -> bool {
    let given = options.cases.first().map_or(0, |case| case.call.args.len());
    let taken = signature.inputs.len().saturating_sub(1);
    let made = options.setup.iter().chain(&options.setup_ctx).count();
    if taken == given {
        return false;
    }
    if taken == given + made {
        return true;
    }
    let Some(case) = options.cases.first() else {
        let rest = signature.inputs.iter().skip(1);
        let message = match made {
            0 => {
                "a scenario takes one argument, its context; `setup = …` and `case(…)` give it others"
            }
            1 => {
                "a scenario takes its context and the value of its setup; `case(…)` gives it others"
            }
            _ => {
                "a scenario takes its context and the values of `setup` and of `setup_ctx`, in this order, or neither of them"
            }
        };
        errors.at(&quote!(#(#rest),*), message);
        return false;
    };
    errors.at(
        case.call,
        format!(
            "a case has {}, but the function takes {taken} after its context",
            arguments(given)
        ),
    );
    false
}
