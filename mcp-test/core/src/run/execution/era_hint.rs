//! What a failure of a test has to do with the era of its revision: a method that the failure is about does not exist there.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::check::{Cause, Finding};
use crate::json::Value;
use crate::spec::{self, Capability, Era, Method, Revision, Revisions, Side, meta};
use crate::trace::{Correlator, Party, Seq, Trace};
use crate::wire::Message;

/// The requests of a server that the stateless era embeds in results, with the capability of a client that answers them.
const REQUESTS: [(&str, Capability); 3] = [
    ("elicitation/create", Capability::Elicitation),
    ("sampling/createMessage", Capability::Sampling),
    ("roots/list", Capability::Roots),
];

/// The hint for these findings of one test, if the revision explains one of them.
pub(super) fn hint<'a>(
    findings: impl Iterator<Item = &'a Finding> + Clone,
    trace: &Trace,
    revision: Revision,
) -> Option<String> {
    let evidence: BTreeSet<Seq> = findings.clone().flat_map(|it| it.evidence.clone()).collect();
    let requested = findings.flat_map(|finding| {
        let awaited = finding.awaited.as_deref().map(|method| (Side::Server, method));
        let requested = match finding.cause.as_deref() {
            Some(Cause::Request { method, .. }) => Some((Side::Client, method.as_str())),
            _ => None,
        };
        awaited.into_iter().chain(requested)
    });
    let shown = Shown::of(trace, &evidence);
    let missing = requested
        .chain(shown.methods.iter().map(|(side, name)| (*side, &**name)))
        .find_map(|(side, name)| {
            let method = spec::method(name)?;
            (!method.sent_by(side, revision)).then(|| method_hint(method, side, revision)).flatten()
        });
    missing.or_else(|| server_requests_hint(&shown, trace, revision))
}

/// The method of a message that the client sent and that a finding is about, if the revision does not have it.
pub(super) fn missing_at(
    revision: Revision,
    finding: &Finding,
    trace: &Trace,
) -> Option<&'static str> {
    let evidence = finding.evidence.iter().copied().collect();
    let shown = Shown::of(trace, &evidence).methods;
    let mut sent = shown.into_iter().filter(|(side, _)| *side == Side::Client);
    sent.find_map(|(side, name)| {
        spec::method(&name).filter(|method| !method.sent_by(side, revision)).map(|it| it.name)
    })
}

/// The hint for a client that began with a handshake, which the revision does not have.
pub(super) fn handshake_hint(trace: &Trace, revision: Revision) -> Option<String> {
    let initialize = spec::method("initialize")?;
    let mut sent = trace.messages().filter(|(event, _)| event.party == Party::Client);
    if initialize.sent_by(Side::Client, revision)
        || !sent.any(|(_, message)| message.method() == Some(initialize.name))
    {
        return None;
    }
    let hint = method_hint(initialize, Side::Client, revision)?;
    Some(format!("{hint}\nrmcp's client sends it unless its `ClientLifecycleMode` is `Discover`"))
}

/// What the findings are about, as far as their evidence shows it.
struct Shown {
    /// The methods of the messages, and of the requests that they answer.
    methods: Vec<(Side, Arc<str>)>,
    /// Whether a request of the client has failed.
    has_failed_request: bool,
}

impl Shown {
    fn of(trace: &Trace, evidence: &BTreeSet<Seq>) -> Self {
        let mut shown = Self { methods: Vec::new(), has_failed_request: false };
        let mut correlator = Correlator::default();
        for event in &trace.events {
            // Also of other events, which name the requests that are answered.
            let messages = correlator.event(event);
            if !evidence.contains(&event.seq) {
                continue;
            }
            let (side, other) = match event.party {
                Party::Server => (Side::Server, Side::Client),
                Party::Client | Party::Harness => (Side::Client, Side::Server),
            };
            for correlated in messages {
                shown.methods.extend(correlated.message.method().map(|name| (side, name.into())));
                let request = correlated.request();
                shown.methods.extend(request.map(|request| (other, Arc::clone(&request.method))));
                shown.has_failed_request |=
                    side == Side::Server && request.is_some() && is_failure(correlated.message);
            }
        }
        shown
    }
}

/// An error, or the result of a tool that has failed.
fn is_failure(message: &Message) -> bool {
    match message {
        Message::Error(_) => true,
        Message::Response(reply) => {
            reply.result.get("isError").and_then(Value::as_bool) == Some(true)
        }
        Message::Request(_) | Message::Notification(_) => false,
    }
}

fn method_hint(method: &Method, side: Side, revision: Revision) -> Option<String> {
    let (revisions, sent) = match side {
        Side::Client => (method.from_client, "a client sends"),
        Side::Server => (method.from_server, "a server sends"),
    };
    let last = revisions.iter().last()?;
    let first = revisions.iter().next()?;
    let existence = match revisions {
        _ if last < revision => format!("up to {last}"),
        _ if first > revision => format!("from {first} on"),
        revisions => format!("at {revisions}"),
    };
    Some(format!(
        "{sent} `{method}` {existence}, and this run is at {revision}{}",
        attribute(revisions)
    ))
}

/// The option of `#[mcp_scenario]` for these revisions.
fn attribute(revisions: Revisions) -> String {
    let (first, last) = (revisions.iter().next(), revisions.iter().last());
    let written = match (first, last) {
        (Some(first), Some(last)) if first == last => first.to_string(),
        (Some(first), Some(last)) if first == Revision::ALL[0] => format!("..{last}"),
        _ => revisions.to_string(),
    };
    format!("\nto test at a revision that has it: `#[mcp_scenario(revisions = \"{written}\")]`")
}

/// The hint for a request that failed though the client can answer what the server may have wanted to ask: in the stateless era
/// a server has no request to ask it with, and an SDK that is used as before returns an error to the server's own code.
fn server_requests_hint(shown: &Shown, trace: &Trace, revision: Revision) -> Option<String> {
    if revision.era() != Era::Stateless || !shown.has_failed_request || has_asked(trace) {
        return None;
    }
    let declared = |capability: Capability| {
        trace.messages().any(|(_, message)| {
            let Message::Request(request) = message else { return false };
            let capabilities = request.params.as_ref().and_then(|it| it.get("_meta"));
            let capabilities = capabilities.and_then(|it| it.get(meta::CLIENT_CAPABILITIES));
            capabilities.is_some_and(|it| capability.declared_in(it))
        })
    };
    let (name, _) = REQUESTS.into_iter().find(|(_, capability)| declared(*capability))?;
    let method = spec::method(name)?;
    Some(format!(
        "the client answers `{method}`, but the server did not ask: at {revision} it cannot send a request, as with `peer` in \
         rmcp, and has to answer with an `input_required` result that contains the question{}",
        attribute(method.from_server)
    ))
}

/// Whether the server has asked for input, in the form of the era.
fn has_asked(trace: &Trace) -> bool {
    trace.messages().any(|(_, message)| match message {
        Message::Response(reply) => {
            reply.result.get("resultType").and_then(Value::as_str) == Some("input_required")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{EventKind, Recorder};

    /// The hint for a finding about the last message of a conversation at a revision.
    fn hint_at(revision: Revision, messages: &[(Party, &'static str)]) -> Option<String> {
        let recorder = Recorder::new();
        let connection = recorder.open("duplex");
        let record = |&(party, text): &(Party, &'static str)| {
            recorder.record(connection, party, EventKind::message(text.into()))
        };
        let recorded: Vec<Seq> = messages.iter().map(record).collect();
        let last = *recorded.last().expect("a message");
        let finding = Finding::peer("it is wrong").evidence(last);
        hint([&finding].into_iter(), &recorder.trace(), revision)
    }

    const CALL: (Party, &str) = (
        Party::Client,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}"#,
    );
    const FAILURE: (Party, &str) =
        (Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#);

    #[test]
    fn a_method_of_other_revisions_is_explained_on_both_sides() {
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}"#;
        let stateless = hint_at(Revision::V2026_07_28, &[(Party::Server, request)]);
        insta::assert_snapshot!(stateless.expect("a hint"), @r#"
        a server sends `elicitation/create` up to 2025-11-25, and this run is at 2026-07-28
        to test at a revision that has it: `#[mcp_scenario(revisions = "2025-06-18..2025-11-25")]`
        "#);
        let too_early = hint_at(Revision::V2024_11_05, &[(Party::Server, request)]);
        insta::assert_snapshot!(too_early.expect("a hint"), @r#"
        a server sends `elicitation/create` from 2025-06-18 on, and this run is at 2024-11-05
        to test at a revision that has it: `#[mcp_scenario(revisions = "2025-06-18..2025-11-25")]`
        "#);
        let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
        let too_new = hint_at(Revision::V2025_11_25, &[(Party::Client, discover)]);
        insta::assert_snapshot!(too_new.expect("a hint"), @r#"
        a client sends `server/discover` from 2026-07-28 on, and this run is at 2025-11-25
        to test at a revision that has it: `#[mcp_scenario(revisions = "2026-07-28")]`
        "#);
        for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
            assert_eq!(hint_at(revision, &[(Party::Server, request)]), None, "it exists");
        }
        let own = r#"{"jsonrpc":"2.0","id":1,"method":"acme/own"}"#;
        assert_eq!(hint_at(Revision::NEWEST, &[(Party::Client, own)]), None, "it is not MCP's");
    }

    #[test]
    fn a_message_that_did_not_come_is_explained() {
        let awaited = |method: &str, revision| {
            let finding = Finding::peer("it did not come").awaited(method);
            hint([&finding].into_iter(), &Trace::default(), revision)
        };
        let hint = awaited("roots/list", Revision::V2026_07_28).expect("a hint");
        assert!(hint.contains("..2025-11-25"), "{hint}");
        assert_eq!(awaited("notifications/message", Revision::V2026_07_28), None);
    }

    #[test]
    fn a_failed_call_is_explained_only_if_the_server_could_have_asked() {
        let newest = Revision::V2026_07_28;
        insta::assert_snapshot!(hint_at(newest, &[CALL, FAILURE]).expect("a hint"), @r#"
        the client answers `sampling/createMessage`, but the server did not ask: at 2026-07-28 it cannot send a request, as with `peer` in rmcp, and has to answer with an `input_required` result that contains the question
        to test at a revision that has it: `#[mcp_scenario(revisions = "..2025-11-25")]`
        "#);
        let passed = (Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
        assert_eq!(hint_at(newest, &[CALL, passed]), None, "it has not failed");
        assert_eq!(hint_at(Revision::V2025_11_25, &[CALL, FAILURE]), None, "it can send a request");
        let without = (Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#);
        assert_eq!(hint_at(newest, &[without, FAILURE]), None, "the client answers nothing");
        let asked =
            (Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}"#);
        let again = (Party::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#);
        let failed =
            (Party::Server, r#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}"#);
        assert_eq!(hint_at(newest, &[CALL, asked, again, failed]), None, "it has asked");
    }
}
