//! The rules for what every message may contain: keys of `_meta`, and the message and code of an error.

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::expect::words::quoted;
use crate::json::Value;
use crate::spec::{error_code, meta};
use crate::wire::RpcError;

cites! {
    BASE_META_NAME_FORMAT, BASE_META_PREFIX_FORMAT, BASE_META_PREFIX_LABELS,
    BASE_META_PREFIX_RESERVED_ANY_LABEL, BASE_META_PREFIX_RESERVED_SECOND_LABEL,
    BASE_META_PREFIX_REVERSE_DNS, BASE_META_TRACE_FORMAT, JSONRPC_ERROR_CODE_APPLICATION_RANGE,
    JSONRPC_ERROR_CODE_LEGACY_RANGE_UNUSED, JSONRPC_ERROR_MESSAGE_CONCISE,
    MCP_TEST_ERROR_CODE_NOT_ZERO,
}

/// Members whose values are data of a tool or its schema, where `_meta` is a name like any other.
const DATA: [&str; 6] =
    ["structuredContent", "arguments", "inputSchema", "outputSchema", "requestedSchema", "data"];

/// Labels that end a domain, and so begin one in reverse order.
const DOMAINS: [&str; 8] = ["com", "org", "net", "io", "dev", "ai", "app", "edu"];

/// Labels that are reserved for MCP.
const RESERVED: [&str; 2] = ["modelcontextprotocol", "mcp"];

/// The prefixes of MCP itself and of its extensions, or what they begin with.
const OFFICIAL: [&str; 2] = ["io.modelcontextprotocol", "modelcontextprotocol.io"];

/// More than this is not a sentence.
const SENTENCE: usize = 500;

/// JSON-RPC reserves these codes.
const RESERVED_CODES: std::ops::RangeInclusive<i64> = -32768..=-32000;

impl EnvelopeJudge {
    /// Judges the keys of every `_meta` in params or in a result.
    pub(super) fn meta_keys(&mut self, event: JudgedEvent<'_>, value: &Value) {
        if !BASE_META_NAME_FORMAT.applies_at(event.opened_for) {
            return;
        }
        // A list, because a peer decides how deep its messages are.
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if let Some(items) = value.as_array() {
                open.extend(items);
            }
            let Some(members) = value.as_object() else { continue };
            for (name, member) in members.iter() {
                if name == "_meta" {
                    let keys = member.as_object().into_iter().flat_map(crate::json::Object::iter);
                    keys.for_each(|(key, value)| self.meta_key(event, key, value));
                } else if !DATA.contains(&name) {
                    open.push(member);
                }
            }
        }
    }

    fn meta_key(&mut self, event: JudgedEvent<'_>, key: &str, value: &Value) {
        let (prefix, name) = meta::parts(key);
        let labels: Vec<&str> =
            prefix.map(|prefix| prefix.split('.').collect()).unwrap_or_default();
        let broken = if prefix.is_some_and(|prefix| prefix.split('.').any(str::is_empty)) {
            Some(("labels joined by dots before the slash", BASE_META_PREFIX_FORMAT))
        } else if !labels.iter().all(|label| meta::is_label(label)) {
            let expected = "labels of letters, digits and inner hyphens, with a letter first";
            Some((expected, BASE_META_PREFIX_LABELS))
        } else if !meta::is_name(name) {
            let expected = "a name of letters, digits, `-`, `_` and `.` that begins and ends with a letter or digit";
            Some((expected, BASE_META_NAME_FORMAT))
        } else {
            None
        };
        if let Some((expected, rule)) = broken {
            let finding = Finding::peer("a key of `_meta` has another form");
            return self.find(event, finding.expected(expected).got(quoted(key.as_bytes())), rule);
        }
        self.reserved_prefix(event, key, &labels);
        self.domain_order(event, key, &labels);
        self.trace_context(event, key, value);
    }

    fn reserved_prefix(&mut self, event: JudgedEvent<'_>, key: &str, labels: &[&str]) {
        let is_reserved = |label: &&str| RESERVED.contains(label);
        let revision = event.opened_for;
        let second = BASE_META_PREFIX_RESERVED_SECOND_LABEL;
        let any = BASE_META_PREFIX_RESERVED_ANY_LABEL;
        let rule = if second.applies_at(revision) {
            labels.get(1).is_some_and(is_reserved).then_some(second)
        } else {
            let before_last = labels.split_last().map(|(_, others)| others).unwrap_or_default();
            (any.applies_at(revision) && before_last.iter().any(is_reserved)).then_some(any)
        };
        let Some(rule) = rule.filter(|_| !OFFICIAL.iter().any(|own| key.starts_with(own))) else {
            return;
        };
        let finding = Finding::peer("a key of `_meta` has a prefix that is reserved for MCP")
            .expected("a prefix of the vendor's own")
            .got(quoted(key.as_bytes()));
        self.find(event, finding, rule);
    }

    fn domain_order(&mut self, event: JudgedEvent<'_>, key: &str, labels: &[&str]) {
        let rule = BASE_META_PREFIX_REVERSE_DNS;
        let (Some(first), Some(last)) = (labels.first(), labels.last()) else { return };
        let is_forward = labels.len() > 1 && DOMAINS.contains(last) && !DOMAINS.contains(first);
        if is_forward && rule.applies_at(event.opened_for) {
            let finding = Finding::peer("a key of `_meta` has a domain in forward order")
                .expected("a domain in reverse order, such as `com.example/`")
                .got(quoted(key.as_bytes()));
            self.find(event, finding, rule);
        }
    }

    fn trace_context(&mut self, event: JudgedEvent<'_>, key: &str, value: &Value) {
        let is_valid = match (key, value.as_str()) {
            (meta::TRACEPARENT, Some(text)) => is_traceparent(text),
            (meta::TRACESTATE | meta::BAGGAGE, Some(text)) => {
                text.split(',').all(|member| member.trim().is_empty() || member.contains('='))
            }
            (meta::TRACEPARENT | meta::TRACESTATE | meta::BAGGAGE, None) => false,
            _ => true,
        };
        if !is_valid && BASE_META_TRACE_FORMAT.applies_at(event.opened_for) {
            let finding = Finding::peer(format!("`{key}` in `_meta` has another form"))
                .expected("the form that the W3C gives the header of this name")
                .got(value.short(80));
            self.find(event, finding, BASE_META_TRACE_FORMAT);
        }
    }

    /// Judges the message of an error: one sentence, not a stack trace or the dump of a validator.
    pub(super) fn error_message(&mut self, event: JudgedEvent<'_>, error: &RpcError) {
        let message = error.message.trim();
        let got = if message.contains('\n') {
            format!("{} lines", message.lines().count())
        } else if length(message) > SENTENCE {
            format!("{} characters", message.chars().count())
        } else {
            return;
        };
        let start: String = message.chars().take(60).collect();
        let finding = Finding::peer("the message of an error is not one sentence")
            .expected("a short sentence on one line; details are for `data`")
            .got(format!("{got}, which start with {}", quoted(start.as_bytes())));
        self.find(event, finding, JSONRPC_ERROR_MESSAGE_CONCISE);
    }

    /// Judges a code that is not forbidden, but that JSON-RPC or MCP keeps for itself.
    pub(super) fn discouraged_code(&mut self, event: JudgedEvent<'_>, error: &RpcError) {
        let code = error.code;
        if code == 0 {
            let finding = Finding::peer("an error has the code 0")
                .expected("another code, such as -32603 for an internal error")
                .got(format!("0, {}", quoted(error.message.as_bytes())))
                .hint("many programs read 0 as success, or as a code that is missing");
            return self.find(event, finding, MCP_TEST_ERROR_CODE_NOT_ZERO);
        }
        if !RESERVED_CODES.contains(&code) || error_code::find(code).is_some() {
            return;
        }
        let rule = match error_code::LEGACY.contains(&code) {
            true => JSONRPC_ERROR_CODE_LEGACY_RANGE_UNUSED,
            false => JSONRPC_ERROR_CODE_APPLICATION_RANGE,
        };
        if rule.applies_at(event.opened_for) {
            let finding = Finding::peer(format!("the error code {code} is not the server's own"))
                .expected("a code that is defined, or one outside -32768 to -32000")
                .got(format!("{code}, {}", quoted(error.message.as_bytes())));
            self.find(event, finding, rule);
        }
    }
}

/// The length of a message, in which a very long word counts as a long one: such a word repeats what the client sent.
fn length(message: &str) -> usize {
    const WORD: usize = 60;
    message.split_whitespace().map(|word| 1 + word.chars().count().min(WORD)).sum()
}

/// Whether text has the form of version 00 of a `traceparent`, or one that a later version extends.
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut is_hex = |len: usize| {
        parts.next().filter(|part| {
            let is_lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            part.len() == len && part.bytes().all(is_lower)
        })
    };
    let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    let (Some(version), Some(trace), Some(parent), Some(_)) =
        (is_hex(2), is_hex(32), is_hex(16), is_hex(2))
    else {
        return false;
    };
    version != "ff" && !is_zero(trace) && !is_zero(parent)
}
