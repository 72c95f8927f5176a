//! Validates the options of the attribute.

use std::time::Duration;

use syn::{Expr, ExprArray, ExprLit, Lit, LitStr, Pat};

use super::{cases, known, revisions};
use crate::model::{Errors, Known, Options, ParsedOption};
use crate::suggest;

const OPTIONS: [&str; 13] = [
    "target",
    "client",
    "revisions",
    "transports",
    "matrix",
    "allow_skip",
    "timeout",
    "known",
    "setup",
    "setup_ctx",
    "teardown",
    "case",
    "crate",
];

const TRANSPORTS: [&str; 5] = ["duplex", "stdio", "http", "router", "sse"];

/// Reads every valid option, and the first of duplicates.
pub(super) fn validate<'a>(written: &'a [ParsedOption], errors: &mut Errors) -> Options<'a> {
    let mut options = Options { cases: cases::validate(written, errors), ..Options::default() };
    for option in each_once(written, &OPTIONS, errors) {
        match option.name.to_string().as_str() {
            "target" => options.target = value(option, "my_server", errors),
            "client" => options.client = client(option, written, errors),
            "revisions" => options.revisions = revisions_of(option, errors),
            "transports" => options.transports = transports(option, errors),
            "matrix" => options.matrix = flag(option, errors),
            "allow_skip" => options.allow_skip = flag(option, errors),
            "timeout" => options.timeout = timeout_of(option, errors),
            "known" => options.known = known_of(option, errors),
            "setup" => options.setup = function(option, "my_setup", errors),
            "setup_ctx" => options.setup_ctx = function(option, "my_setup", errors),
            "teardown" => options.teardown = function(option, "my_teardown", errors),
            "case" => {}
            // Read by `crate_path`, which the fallback needs even if other options are invalid.
            _ => check_crate(option, errors),
        }
    }
    for maker in options.target.iter().chain(&options.client) {
        check_maker(maker, &options, errors);
    }
    options
}

/// The argument of a closure that makes a target or client with the value of the setup.
pub(crate) fn setup_argument(maker: &Expr) -> Option<&Pat> {
    let Expr::Closure(closure) = maker else { return None };
    closure.inputs.first().filter(|_| closure.inputs.len() == 1)
}

fn check_maker(maker: &Expr, options: &Options<'_>, errors: &mut Errors) {
    let Some(value) = setup_argument(maker) else { return };
    if options.setup.is_none() {
        let message = "it would be the value of the setup, which is not among the options: `setup = my_setup`";
        errors.at(value, message);
    } else if options.matrix && options.transports.is_empty() {
        let message = "it is made after the setup, so that `matrix` does not know its transports: add `transports = [..]`";
        errors.at(maker, message);
    }
}

/// The known options, and the first of duplicates.
pub(crate) fn each_once<'a>(
    written: &'a [ParsedOption],
    known: &[&str],
    errors: &mut Errors,
) -> Vec<&'a ParsedOption> {
    let mut first = Vec::new();
    for (index, option) in written.iter().enumerate() {
        let name = option.name.to_string();
        // Only of cases there may be several.
        let again = written[..index].iter().any(|earlier| earlier.name == option.name)
            && option.name != "case";
        match (known.contains(&name.as_str()), again) {
            (true, false) => first.push(option),
            (true, true) => errors.at(&option.name, format!("duplicate option `{name}`")),
            (false, false) => {
                let hint = suggest::hint(&name, known, '`');
                errors.at(&option.name, format!("unknown option `{name}`: {hint}"));
            }
            // An unknown option was reported when it was first seen.
            (false, true) => {}
        }
    }
    first
}

pub(crate) fn flag(option: &ParsedOption, errors: &mut Errors) -> bool {
    if let Some(value) = &option.value {
        let name = &option.name;
        errors.at(value, format!("`{name}` takes no value: write it alone, or leave it out"));
    }
    true
}

pub(crate) fn value<'a>(
    option: &'a ParsedOption,
    example: &str,
    errors: &mut Errors,
) -> Option<&'a Expr> {
    if option.value.is_none() {
        let name = &option.name;
        errors.at(name, format!("`{name}` needs a value: `{name} = {example}`"));
    }
    option.value.as_ref()
}

pub(crate) fn string<'a>(
    option: &'a ParsedOption,
    expected: &str,
    example: &str,
    errors: &mut Errors,
) -> Option<&'a LitStr> {
    match value(option, example, errors)? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        other => {
            errors.at(other, format!("{expected}: `{} = {example}`", option.name));
            None
        }
    }
}

/// The client to test.
fn client<'a>(
    option: &'a ParsedOption,
    written: &[ParsedOption],
    errors: &mut Errors,
) -> Option<&'a Expr> {
    if written.iter().any(|other| other.name == "target") {
        let message =
            "`client` and `target` exclude each other: a scenario tests a client or a server";
        errors.at(&option.name, message);
    }
    value(option, "my_client", errors)
}

/// The path of a function.
fn function<'a>(option: &'a ParsedOption, example: &str, errors: &mut Errors) -> Option<&'a Expr> {
    let value = value(option, example, errors)?;
    if !matches!(value, Expr::Path(_)) {
        let name = &option.name;
        errors.at(value, format!("expected the path of a function: `{name} = {example}`"));
    }
    Some(value)
}

/// The list that an option has as its value.
pub(crate) fn list<'a>(
    option: &'a ParsedOption,
    expected: &str,
    example: &str,
    errors: &mut Errors,
) -> Option<&'a ExprArray> {
    match value(option, example, errors)? {
        Expr::Array(list) => Some(list),
        other => {
            errors.at(other, format!("{expected}: `{} = {example}`", option.name));
            None
        }
    }
}

pub(crate) fn transports(option: &ParsedOption, errors: &mut Errors) -> Vec<&'static str> {
    let mut transports = Vec::new();
    let Some(list) = list(option, "expected a list", "[duplex, http]", errors) else {
        return transports;
    };
    if list.elems.is_empty() {
        errors.at(list, "expected at least one transport: name one, or leave `transports` out");
    }
    for element in &list.elems {
        let word = match element {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            // A likely mistake, since the names of other options are strings.
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. })
                if TRANSPORTS.contains(&text.value().as_str()) =>
            {
                let word = text.value();
                errors.at(element, format!("a transport is written without quotes: `{word}`"));
                continue;
            }
            _ => None,
        };
        let Some(word) = word else {
            let all = TRANSPORTS.join("`, `");
            errors.at(element, format!("expected a transport: one of `{all}`"));
            continue;
        };
        match TRANSPORTS.into_iter().find(|&known| known == word) {
            Some(known) if transports.contains(&known) => {
                errors.at(element, format!("duplicate transport `{word}`"));
            }
            Some(known) => transports.push(known),
            None => {
                let hint = suggest::hint(&word, &TRANSPORTS, '`');
                errors.at(element, format!("unknown transport `{word}`: {hint}"));
            }
        }
    }
    transports
}

fn known_of<'a>(option: &'a ParsedOption, errors: &mut Errors) -> Vec<Known<'a>> {
    let example = "[\"transport.http.event-id-unique\"]";
    let list = list(option, "expected a list", example, errors);
    list.map(|list| known::validate(list, errors)).unwrap_or_default()
}

pub(crate) fn revisions_of(option: &ParsedOption, errors: &mut Errors) -> Option<String> {
    let text = string(option, "expected a string", "\"2025-06-18..\"", errors)?;
    match revisions::validate(&text.value()) {
        Ok(revisions) => Some(revisions),
        Err(mistakes) => {
            for mistake in mistakes {
                errors.at(text, mistake);
            }
            None
        }
    }
}

pub(crate) fn timeout_of(option: &ParsedOption, errors: &mut Errors) -> Option<Duration> {
    let text = string(option, "expected a string with a unit", "\"5s\"", errors)?;
    match duration(&text.value()) {
        Some(Duration::ZERO) => errors.at(text, "a timeout must be more than zero"),
        Some(duration) => return Some(duration),
        None => errors.at(
            text,
            "a timeout is a whole number with its unit, `ms`, `s` or `m`: \"500ms\", \"5s\"",
        ),
    }
    None
}

fn duration(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..end].parse().ok()?;
    let milliseconds = match text[end..].trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

pub(crate) fn check_crate(option: &ParsedOption, errors: &mut Errors) {
    match value(option, "path::to::mcp_test", errors) {
        Some(Expr::Path(path)) if path.qself.is_none() => {}
        Some(other) => errors.at(other, "expected a path: `crate = path::to::mcp_test`"),
        None => {}
    }
}
