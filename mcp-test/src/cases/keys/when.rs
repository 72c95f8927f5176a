//! When and how a case runs: `_tags`, `_skip`, `_only`, `_revision`, `_transport`, `_timeout`, `_handshake`, `_continues`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Extensions, each};
use crate::cases::lint;
use crate::cases::reading::{Reading, did_you_mean, quoted};
use crate::clock;
use crate::spec::{Revision, Revisions, SpecError};
use crate::transport::CarrierKind;
use crate::yaml::{Kind, Node};

pub(super) fn tags(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    for item in each(node) {
        if let Some(tag) = reading.text("_tags", item) {
            found.settings.tags.push(tag.trim().to_owned());
        }
    }
}

pub(super) fn skip(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    match node.as_str().map(str::trim) {
        Some(reason) if !reason.is_empty() => found.settings.skip = Some(reason.to_owned()),
        _ => {
            let help = "write why, for those who will wonder: `_skip: the server cannot do it yet`";
            let complaint = reading.unfit("_skip", "a reason", node).help(help.to_owned());
            reading.tell(match node.as_str() {
                Some(_) => complaint.label("this text is empty"),
                None => complaint,
            });
        }
    }
}

pub(super) fn only(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.only |= reading.flag("_only", node).unwrap_or_default();
}

pub(super) fn handshake(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.bare = reading.flag("_handshake", node) == Some(false);
}

pub(super) fn continues(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.continues = reading.flag("_continues", node) == Some(true);
}

pub(super) fn revision(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    let (mut all, mut wrong) = (Revisions::none(), false);
    for item in each(node) {
        let Some(text) = reading.text("_revision", item) else {
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
                let complaint = reading
                    .complaint(&lint::WRONG_VALUE, item.span, error.to_string())
                    .label("not a revision, nor a range of them")
                    .help(help);
                reading.tell(complaint);
            }
        }
    }
    if all.is_empty() && !wrong {
        let message = "`_revision` has to leave at least one revision";
        let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
        let help = "to keep a case from running, say why: `_skip: …`".to_owned();
        reading.tell(complaint.label("the case would hold nowhere").help(help));
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

pub(super) fn transport(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    let names = CarrierKind::ALL.map(CarrierKind::as_str);
    if each(node).is_empty() {
        reading.wrong("_transport", "at least one transport", node);
    }
    for item in each(node) {
        let Some(text) = reading.text("_transport", item) else { continue };
        match text.parse() {
            Ok(kind) if found.settings.transports.contains(&kind) => {}
            Ok(kind) => found.settings.transports.push(kind),
            Err(_) => {
                let message = format!("`{text}` is no transport");
                let complaint = reading
                    .complaint(&lint::WRONG_VALUE, item.span, message)
                    .label(format!("known are {}", quoted(&names)))
                    .help(did_you_mean(text, names));
                reading.tell(complaint);
            }
        }
    }
}

pub(super) fn transport_schema() -> Value {
    let names = json!({"enum": CarrierKind::ALL.map(CarrierKind::as_str)});
    json!({"anyOf": [names, {"type": "array", "items": names, "minItems": 1}]})
}

pub(super) fn timeout(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.timeout = time(reading, "_timeout", node);
}

/// A time: milliseconds, or a number with a unit.
pub(super) fn time(reading: &mut Reading<'_>, what: &str, node: &Node) -> Option<Duration> {
    let text = match &node.kind {
        Kind::Number(number) => number.as_u64().map(|whole| whole.to_string()).unwrap_or_default(),
        Kind::String(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    let plain = text.ends_with(|char: char| char.is_ascii_digit());
    let unit = if plain { "ms" } else { "" };
    let time = clock::parse(&format!("{text}{unit}"));
    if time.is_none() {
        let expected = "a time above zero: `500ms`, `5s`, `2m`, or a number of milliseconds";
        let complaint = reading.unfit(what, expected, node);
        reading.tell(match text.is_empty() {
            true => complaint,
            false => complaint.label(format!("`{text}` is none")),
        });
    }
    time
}
