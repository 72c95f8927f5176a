//! Reads when and how a case runs: `_tags`, `_skip`, `_only`, `_revision`, `_transport`, `_timeout`, `_handshake`, `_continues`.

use std::time::Duration;

use mcp_test_core::clock;
use mcp_test_core::spec::{Revision, Revisions, SpecError};
use mcp_test_core::transport::TransportKind;
use mcp_test_core::yaml::{Kind, Node};
use serde_json::{Value, json};

use super::extensions::{Extensions, each};
use crate::cases::format::context::ReadContext;
use crate::cases::format::lints;
use crate::cases::format::suggest::{did_you_mean, quoted};

pub(super) fn tags(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    for item in each(node) {
        if let Some(tag) = cx.text("_tags", item) {
            found.settings.tags.push(tag.trim().to_owned());
        }
    }
}

pub(super) fn skip(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    match node.as_str().map(str::trim) {
        Some(reason) if !reason.is_empty() => found.settings.skip = Some(reason.to_owned()),
        // Also `_skip: true`: without a reason, nobody would know when to remove it.
        _ => {
            let help = "give the reason: `_skip: the server cannot do it yet`";
            let diagnostic = cx.wrong_value("_skip", "a reason", node).help(help.to_owned());
            cx.report(match node.as_str() {
                Some(_) => diagnostic.label("this string is empty"),
                None => diagnostic,
            });
        }
    }
}

pub(super) fn only(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.only |= cx.flag("_only", node).unwrap_or_default();
}

pub(super) fn handshake(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.bare = cx.flag("_handshake", node) == Some(false);
}

pub(super) fn continues(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.continues = cx.flag("_continues", node) == Some(true);
}

pub(super) fn revision(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    let (mut all, mut wrong) = (Revisions::none(), false);
    for item in each(node) {
        let Some(text) = cx.text("_revision", item) else {
            wrong = true;
            continue;
        };
        match text.parse::<Revisions>() {
            Ok(some) => all = all.union(some),
            Err(error) => {
                wrong = true;
                let help = match &error {
                    SpecError::UnknownRevision(name) => {
                        did_you_mean(name, Revision::ALL.iter().map(|revision| revision.as_str()))
                    }
                    _ => None,
                };
                let diagnostic = cx
                    .diagnostic(&lints::WRONG_VALUE, item.span, error.to_string())
                    .label("expected a revision or a range")
                    .help(help);
                cx.report(diagnostic);
            }
        }
    }
    // If a part is invalid, that has been reported.
    if all.is_empty() && !wrong {
        let message = "`_revision` must contain at least one revision";
        let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, node.span, message);
        let help = "to skip a case, give the reason: `_skip: …`".to_owned();
        cx.report(diagnostic.label("the case would never run").help(help));
    }
    found.settings.revisions = Some(all);
}

pub(super) fn revision_schema() -> Value {
    let dates: Vec<&str> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
    let date = format!("({})", dates.join("|"));
    let part = format!("({date}|{date}?\\s*\\.\\.\\s*{date}?)");
    let revisions = json!({
        "type": "string",
        "pattern": format!("^\\s*(all|{part}(\\s*,\\s*{part})*)\\s*$"),
    });
    json!({"anyOf": [revisions, {"type": "array", "items": revisions, "minItems": 1}]})
}

pub(super) fn transport(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    let names = TransportKind::ALL.map(TransportKind::as_str);
    if each(node).is_empty() {
        cx.report_wrong_value("_transport", "at least one transport", node);
    }
    for item in each(node) {
        let Some(text) = cx.text("_transport", item) else { continue };
        match text.parse() {
            Ok(kind) if found.settings.transports.contains(&kind) => {}
            Ok(kind) => found.settings.transports.push(kind),
            Err(_) => {
                let message = format!("`{text}` is not a transport");
                let diagnostic = cx
                    .diagnostic(&lints::WRONG_VALUE, item.span, message)
                    .label(format!("known transports are {}", quoted(&names)))
                    .help(did_you_mean(text, names));
                cx.report(diagnostic);
            }
        }
    }
}

pub(super) fn transport_schema() -> Value {
    let names = json!({"enum": TransportKind::ALL.map(TransportKind::as_str)});
    json!({"anyOf": [names, {"type": "array", "items": names, "minItems": 1}]})
}

pub(super) fn timeout(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.timeout = time(cx, "_timeout", node);
}

/// Reads a duration: milliseconds, or a number with a unit.
pub(super) fn time(cx: &mut ReadContext<'_>, what: &str, node: &Node) -> Option<Duration> {
    let text = match &node.kind {
        Kind::Number(number) => number.as_u64().map(|whole| whole.to_string()).unwrap_or_default(),
        Kind::String(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    // A number in quotes is in milliseconds, too.
    let plain = text.ends_with(|char: char| char.is_ascii_digit());
    let unit = if plain { "ms" } else { "" };
    let time = clock::parse_duration(&format!("{text}{unit}"));
    if time.is_none() {
        let expected = "a duration above zero: `500ms`, `5s`, `2m`, or a number of milliseconds";
        let diagnostic = cx.wrong_value(what, expected, node);
        cx.report(match text.is_empty() {
            true => diagnostic,
            false => diagnostic.label(format!("`{text}` is not a duration")),
        });
    }
    time
}
