//! Checks messages against MCP: methods, shapes, revisions.

use std::collections::HashSet;

use mcp_test_core::json::Pointer;
use mcp_test_core::spec::schema::{Authority, Schemas, Violation};
use mcp_test_core::spec::{self, Era, METHODS, Method, Revision, Revisions, meta};
use mcp_test_core::trace::Correlation;
use mcp_test_core::wire::{Id, Message};

use super::case_chain::CaseChain;
use crate::cases::format::lints::{
    OTHER_HANDSHAKE, OTHER_REVISION, SHAPE, UNKNOWN_METHOD, WRONG_SIDE,
};
use crate::cases::format::suggest::nearest;
use crate::cases::{CaseMessage, Diagnostic, Direction, Mode};

pub(super) fn check(chain: &CaseChain<'_>) -> Vec<Diagnostic> {
    let window = window(chain);
    let mut found: Vec<Diagnostic> = handshake(chain).into_iter().collect();
    let refused = refused(chain);
    let mut conversation = Correlation::default();
    let checker = Checker { chain, window, schemas: Schemas::ours(), has_names: chain.has_names() };
    for (case_message, message) in chain.messages() {
        let is_refused =
            message.id().is_some_and(|id| refused.contains(&(case_message.direction, id)));
        let sender = case_message.direction.sender();
        // Also for messages that are not checked: the shape of a result depends on its request.
        let correlated = conversation.message(sender, None, (), message);
        match message {
            Message::Request(request) => {
                // A request that must be rejected may be anything.
                if !is_refused {
                    found.extend(checker.method(case_message, message, &request.method));
                }
            }
            Message::Notification(notification) => {
                found.extend(checker.method(case_message, message, &notification.method));
            }
            Message::Response(_) => {
                let method = correlated.request().map(|request| &*request.method);
                found.extend(checker.shape(case_message, message, method));
            }
            Message::Error(_) => found.extend(checker.shape(case_message, message, None)),
        }
    }
    found
}

/// The requests answered by an error, by sender and id.
fn refused<'a>(chain: &CaseChain<'a>) -> HashSet<(Direction, &'a Id)> {
    let errors = chain.messages().filter_map(|(case_message, message)| match message {
        Message::Error(reply) => Some((case_message.direction.opposite(), reply.id.as_ref()?)),
        _ => None,
    });
    errors.collect()
}

/// The revisions to which a conversation applies, from `_revision` or its messages.
pub(super) fn window(chain: &CaseChain<'_>) -> Revisions {
    let declared = chain.cases.iter().filter_map(|case| case.settings.revisions);
    let declared = declared.reduce(Revisions::intersection);
    let named =
        || chain.messages().find_map(|(case_message, message)| named(case_message, message));
    let window = declared.or_else(|| named().map(Revisions::only)).unwrap_or(Revisions::all());
    // With an empty window, every method would be reported as one that does not exist.
    if window.is_empty() { Revisions::all() } else { window }
}

/// The revision in a message.
fn named(case_message: &CaseMessage, message: &Message) -> Option<Revision> {
    let place = match message {
        Message::Request(request) if request.method == "initialize" => "/params/protocolVersion",
        Message::Response(_) => "/result/protocolVersion",
        _ => {
            let meta = message.params()?.get("_meta")?;
            return meta.get(meta::PROTOCOL_VERSION)?.as_str()?.parse().ok();
        }
    };
    case_message.value.at(place)?.as_str()?.parse().ok()
}

/// Checks that `initialize` negotiates one of the case's revisions.
fn handshake(chain: &CaseChain<'_>) -> Option<Diagnostic> {
    let revisions = chain.cases.iter().find_map(|case| case.settings.revisions)?;
    let place = Pointer::root().member("result").member("protocolVersion");
    let (case_message, revision) = chain.messages().find_map(|(case_message, message)| {
        let settled =
            case_message.direction == Direction::Out && matches!(message, Message::Response(_));
        Some((case_message, settled.then(|| named(case_message, message)).flatten()?))
    })?;
    if revisions.contains(revision) {
        return None;
    }
    let text = format!("the handshake negotiates {revision}, but the case applies to {revisions}");
    let diagnostic = chain.diagnostic(&OTHER_HANDSHAKE, case_message.span_of(&place), text);
    Some(diagnostic.label("`_revision` excludes this one"))
}

struct Checker<'a> {
    chain: &'a CaseChain<'a>,
    window: Revisions,
    schemas: Schemas,
    has_names: bool,
}

impl Checker<'_> {
    /// Checks a request or a notification.
    fn method(
        &self,
        case_message: &CaseMessage,
        message: &Message,
        method: &str,
    ) -> Vec<Diagnostic> {
        let Some(known) = spec::method(method) else {
            return self.unknown(case_message, message, method).into_iter().collect();
        };
        match self.misplaced(case_message, known) {
            Some(diagnostic) => vec![diagnostic],
            None => self.shape(case_message, message, None),
        }
    }

    /// Reports an unknown method; a notification only if its name resembles one of MCP, because peers may have their own.
    fn unknown(
        &self,
        case_message: &CaseMessage,
        message: &Message,
        method: &str,
    ) -> Option<Diagnostic> {
        let help = nearest_method(method).map(|near| format!("did you mean `{near}`?"));
        let label = match message {
            Message::Notification(_) if help.is_none() => return None,
            Message::Notification(_) => "no revision has it",
            _ => "no revision has it, but the case expects no error",
        };
        let text = format!("`{method}` is not a method of MCP");
        let diagnostic =
            self.chain.diagnostic(&UNKNOWN_METHOD, case_message.span_of_member("method"), text);
        Some(diagnostic.label(label).help(help))
    }

    /// Reports a method that this side does not send, or not in these revisions.
    fn misplaced(&self, case_message: &CaseMessage, method: &Method) -> Option<Diagnostic> {
        let (own, side) = match case_message.direction {
            Direction::In => (method.from_client, "client"),
            Direction::Out => (method.from_server, "server"),
        };
        let own = own.union(method.extension);
        let span = case_message.span_of_member("method");
        if own.is_empty() {
            let text = format!("a {side} never sends `{method}`");
            let diagnostic = self.chain.diagnostic(&WRONG_SIDE, span, text);
            let label = format!("`{}` is a message of the {side}", case_message.key);
            return Some(diagnostic.label(label));
        }
        if !own.intersection(self.window).is_empty() {
            return None;
        }
        let text = format!("`{method}` does not exist in {}", self.window);
        let diagnostic = self.chain.diagnostic(&OTHER_REVISION, span, text);
        Some(diagnostic.label(format!("a {side} sends it in {own}")))
    }

    /// Reports a message that is valid in no revision, for the revision with the fewest violations.
    fn shape(
        &self,
        case_message: &CaseMessage,
        message: &Message,
        answers: Option<&str>,
    ) -> Vec<Diagnostic> {
        let exists = |revision: &Revision| {
            answers
                .or(message.method())
                .and_then(spec::method)
                .is_none_or(|method| method.revisions().union(method.extension).contains(*revision))
        };
        let mut best: Option<(Revision, Vec<Violation>)> = None;
        // The newest first: of revisions with equally many violations, it is the one to report.
        for revision in self.window.iter().rev().filter(exists) {
            let mut found = self.schemas.validate(message, answers, revision, Authority::Text);
            found.retain(|violation| !self.is_forgiven(case_message, violation, revision));
            if found.is_empty() {
                return Vec::new();
            }
            if best.as_ref().is_none_or(|(_, least)| found.len() < least.len()) {
                best = Some((revision, found));
            }
        }
        let (revision, found) = best.unwrap_or((Revision::NEWEST, Vec::new()));
        let diagnostics = found.into_iter().map(|violation| {
            let Violation { pointer, expected, got, shape, .. } = violation;
            let text = match pointer.is_root() {
                true => format!("`{}` must be {expected}", case_message.key),
                false => {
                    format!("`{pointer}` of `{}` must be {expected}, got {got}", case_message.key)
                }
            };
            let diagnostic = self.chain.diagnostic(&SHAPE, case_message.span_of(&pointer), text);
            diagnostic.label(format!("expected by {shape} of {revision}"))
        });
        diagnostics.collect()
    }

    /// Whether a violation concerns what a case may omit, or a value known only when it runs.
    fn is_forgiven(
        &self,
        case_message: &CaseMessage,
        violation: &Violation,
        revision: Revision,
    ) -> bool {
        let pointer = violation.pointer.as_str();
        let Some(value) = case_message.value.at(pointer) else {
            // `_meta` is added to requests automatically, and the members of results are tolerated.
            let added = revision.era() == Era::Stateless
                && (pointer == "/params"
                    || pointer.starts_with("/params/_meta")
                    || ["/result/resultType", "/result/ttlMs", "/result/cacheScope"]
                        .contains(&pointer));
            return added || case_message.rule.mode == Mode::Contains;
        };
        self.has_names && value.as_str().is_some_and(|text| text.contains("${"))
    }
}

/// The nearest method. The prefix of notifications is ignored, because all of them have it.
fn nearest_method(method: &str) -> Option<String> {
    let names = METHODS.iter().map(|it| it.name);
    match method.strip_prefix(NOTIFICATIONS) {
        Some(rest) => nearest(rest, names.filter_map(|name| name.strip_prefix(NOTIFICATIONS)))
            .map(|near| format!("{NOTIFICATIONS}{near}")),
        None => nearest(method, names).map(str::to_owned),
    }
}

const NOTIFICATIONS: &str = "notifications/";
