//! What the options of the attribute may say.

use std::time::Duration;

use syn::{Expr, ExprArray, ExprLit, Lit, LitStr};

use super::revisions;
use crate::model::{Errors, Options, Written};
use crate::suggest;

const OPTIONS: [&str; 7] =
    ["target", "revisions", "transports", "matrix", "allow_skip", "timeout", "crate"];

const TRANSPORTS: [&str; 5] = ["duplex", "stdio", "http", "router", "sse"];

/// Reads every option that is right; of those that come twice, the first.
pub(super) fn validate<'a>(written: &'a [Written], errors: &mut Errors) -> Options<'a> {
    let mut options = Options::default();
    for option in each_once(written, &OPTIONS, errors) {
        let name = option.name.to_string();
        match name.as_str() {
            "target" => options.target = value(option, "my_server", errors),
            "revisions" => options.revisions = revisions_of(option, errors),
            "transports" => options.transports = transports(option, errors),
            "matrix" => options.matrix = flag(option, errors),
            "allow_skip" => options.allow_skip = flag(option, errors),
            "timeout" => options.timeout = timeout_of(option, errors),
            "crate" => check_crate(option, errors),
            _ => {}
        }
    }
    options
}

/// The options that are known, and of those that come twice the first.
pub(crate) fn each_once<'a>(
    written: &'a [Written],
    known: &[&str],
    errors: &mut Errors,
) -> Vec<&'a Written> {
    let mut first = Vec::new();
    for (index, option) in written.iter().enumerate() {
        let name = option.name.to_string();
        let again = written[..index].iter().any(|earlier| earlier.name == option.name);
        match (known.contains(&name.as_str()), again) {
            (true, false) => first.push(option),
            (true, true) => errors.at(&option.name, format!("duplicate option `{name}`")),
            (false, false) => {
                let hint = suggest::hint(&name, known, '`');
                errors.at(&option.name, format!("unknown option `{name}`: {hint}"));
            }
            (false, true) => {}
        }
    }
    first
}

pub(crate) fn flag(option: &Written, errors: &mut Errors) -> bool {
    if let Some(value) = &option.value {
        let name = &option.name;
        errors.at(value, format!("`{name}` takes no value: write it alone, or leave it out"));
    }
    true
}

pub(crate) fn value<'a>(
    option: &'a Written,
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
    option: &'a Written,
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

pub(crate) fn transports(option: &Written, errors: &mut Errors) -> Vec<&'static str> {
    let mut transports = Vec::new();
    let list = match value(option, "[duplex, http]", errors) {
        Some(Expr::Array(list)) => list,
        Some(other) => {
            errors.at(other, "expected a list: `transports = [duplex, http]`");
            return transports;
        }
        None => return transports,
    };
    if list.elems.is_empty() {
        errors.at(list, "no transport to run over: name one, or leave `transports` out");
    }
    read_transports(list, &mut transports, errors);
    transports
}

fn read_transports(list: &ExprArray, transports: &mut Vec<&'static str>, errors: &mut Errors) {
    for element in &list.elems {
        let word = match element {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. })
                if TRANSPORTS.contains(&text.value().as_str()) =>
            {
                let word = text.value();
                errors.at(element, format!("a transport is a word, without quotes: `{word}`"));
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
}

pub(crate) fn revisions_of(option: &Written, errors: &mut Errors) -> Option<String> {
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

pub(crate) fn timeout_of(option: &Written, errors: &mut Errors) -> Option<Duration> {
    let text = string(option, "expected a string with a unit", "\"5s\"", errors)?;
    timeout(text, errors)
}

fn timeout(text: &LitStr, errors: &mut Errors) -> Option<Duration> {
    match duration(&text.value()) {
        Some(Duration::ZERO) => errors.at(text, "a timeout of zero has always passed already"),
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
    match text[end..].trim() {
        "ms" => Some(Duration::from_millis(number)),
        "s" => number.checked_mul(1_000).map(Duration::from_millis),
        "m" => number.checked_mul(60_000).map(Duration::from_millis),
        _ => None,
    }
}

pub(crate) fn check_crate(option: &Written, errors: &mut Errors) {
    match value(option, "path::to::mcp_test", errors) {
        Some(Expr::Path(path)) if path.qself.is_none() => {}
        Some(other) => errors.at(other, "expected a path: `crate = path::to::mcp_test`"),
        None => {}
    }
}
