//! Messages that no case has: the refusal names the nearest case, and where it differs.

use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;
use mcp_test_core::spec::{self, Revision, Side, error_code};
use mcp_test_core::wire::RpcError;
use serde_json::json;

use super::compiled_contract::CompiledContract;
use super::conversation::TurnId;
use super::incoming::Incoming;
use super::message_ref::MessageRef;
use crate::cases::compare::Difference;
use crate::cases::{Case, CaseFile, CaseMessage};

/// How many turns are compared in the search for the nearest: a contract may have thousands with one name.
const MAX_COMPARED: usize = 1024;
/// How many known names a message lists.
const MAX_NAMES: usize = 8;
/// How many differences a message shows.
const MAX_DIFFERENCES: usize = 3;

/// A message of a client that no case has.
#[derive(Debug, Clone)]
pub struct UnmatchedMessage {
    client: u64,
    summary: String,
    reason: String,
    code: i64,
    incoming: Incoming,
    nearest: Option<NearestCase>,
    known: Vec<String>,
}

/// The case that is nearest to an unmatched message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NearestCase {
    /// The file of the case.
    pub file: Arc<CaseFile>,
    /// The case.
    pub case: Arc<Case>,
    /// The key of the message in the case.
    pub key: String,
    /// The line of the message in the file.
    pub line: usize,
    /// Where the client's message differs.
    pub differences: Vec<Difference>,
}

impl UnmatchedMessage {
    pub(super) fn new(client: u64, incoming: &Incoming, contract: &CompiledContract) -> Self {
        let this = Self {
            client,
            summary: incoming.summary(),
            reason: String::new(),
            code: error_code::INVALID_PARAMS,
            incoming: incoming.clone(),
            nearest: None,
            known: Vec::new(),
        };
        let (method, revision) = (&incoming.method, incoming.revision);
        // From the most general reason to the most specific one: the first that applies is what the user has to fix.
        if spec::method(method).is_some_and(|known| !known.sent_by(Side::Client, revision)) {
            let reason = format!("clients do not send `{method}` at {revision}");
            return Self { reason, code: error_code::METHOD_NOT_FOUND, ..this };
        }
        if !contract.has(method) {
            let known: Vec<_> = contract.index.methods().collect();
            let hint = suggestion(words::closest(method, known.iter().copied()));
            let reason = format!("no case has a `{}`{hint}", words::excerpt(method));
            return Self { reason, code: error_code::METHOD_NOT_FOUND, ..this };
        }
        let candidates = contract.same_subject(incoming);
        if candidates.is_empty() {
            return this.without_candidates(contract);
        }
        let Some(nearest) = nearest(incoming, &candidates, contract) else { return this };
        let reason = format!("no case has this `{method}`; the nearest is {}", nearest.describe());
        Self { reason, nearest: Some(nearest), ..this }
    }

    /// For a message whose name is unknown, or only known at other revisions.
    fn without_candidates(self, contract: &CompiledContract) -> Self {
        let Incoming { method, name, revision, .. } = &self.incoming;
        let known = contract.index.names(method);
        let Some(name) = name.as_deref().filter(|name| !known.contains(name)) else {
            let reason =
                format!("the cases with a `{method}` of this kind do not apply at {revision}");
            return Self { reason, ..self };
        };
        let member = spec::method(method).and_then(|method| method.name_param);
        let hint = match words::closest(name, known.iter().copied()) {
            Some(near) => suggestion(Some(near)),
            None if known.is_empty() => String::new(),
            None => format!("; {} known", listed(&known)),
        };
        let shown = Value::from(name).short(words::SHOWN);
        let reason = format!(
            "no case has a `{method}` with {shown} as `{}`{hint}",
            member.unwrap_or_default()
        );
        let known = known.into_iter().map(str::to_owned).collect();
        Self { reason, known, ..self }
    }

    /// The client's number, counted from 0.
    #[must_use]
    pub fn client(&self) -> u64 {
        self.client
    }

    /// The message in short: `tools/call add`.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The method of the message.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.incoming.method
    }

    /// The message without what identifies the request or the client: `jsonrpc`, the id, most of `_meta`.
    #[must_use]
    pub fn message(&self) -> &Value {
        self.incoming.message()
    }

    /// The revision of the conversation.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.incoming.revision
    }

    /// Why it was refused.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The nearest case, if one has the same method and name.
    #[must_use]
    pub fn nearest(&self) -> Option<&NearestCase> {
        self.nearest.as_ref()
    }

    /// Roughly how many bytes it holds.
    pub(super) fn weight(&self) -> usize {
        let nearest = self.nearest.iter().flat_map(|nearest| &nearest.differences);
        self.incoming.message().to_string().len() + nearest.map(Difference::weight).sum::<usize>()
    }

    /// The error that the client receives.
    pub(super) fn error(&self) -> RpcError {
        let error = RpcError::new(self.code, self.reason.clone());
        if let Some(nearest) = &self.nearest {
            let differences = nearest.differences.iter().map(|difference| {
                json!({ "at": difference.pointer.as_str(), "text": difference.to_string() })
            });
            let nearest = json!({
                "case": nearest.case.title(),
                "id": nearest.case.id,
                "at": format!("{}:{}", nearest.file.path, nearest.line),
                "differences": differences.collect::<Vec<_>>(),
            });
            return error.with_data(json!({ "nearest": nearest }));
        }
        if self.known.is_empty() { error } else { error.with_data(json!({ "known": self.known })) }
    }
}

impl NearestCase {
    fn new(line: &MessageRef, differences: Vec<Difference>) -> Self {
        Self {
            file: Arc::clone(&line.file),
            case: Arc::clone(&line.case),
            key: line.message().key.clone(),
            line: line.message().key_span.line,
            differences,
        }
    }

    /// The case, and the first differences.
    fn describe(&self) -> String {
        let mut shown: Vec<_> =
            self.differences.iter().take(MAX_DIFFERENCES).map(ToString::to_string).collect();
        let rest = self.differences.len().saturating_sub(MAX_DIFFERENCES);
        shown.extend((rest > 0).then(|| format!("and {rest} more")));
        format!("{:?} ({}:{}): {}", self.case.title(), self.file.path, self.line, shown.join("; "))
    }
}

/// The turn whose message is most like this one.
fn nearest(
    incoming: &Incoming,
    candidates: &[TurnId],
    contract: &CompiledContract,
) -> Option<NearestCase> {
    let candidates = candidates.iter().take(MAX_COMPARED);
    let nearness = candidates.map(|at| (contract.expected(*at).nearness(incoming), *at));
    let (_, at) = first_max(nearness)?;
    let values = &contract.conversations[at.conversation].values;
    let differences = contract.expected(at).differences(incoming, values);
    Some(NearestCase::new(&contract.turn(at).incoming, differences))
}

/// The unmatched message that is nearest to a message of a case; `None` if none has its method.
pub(super) fn nearest_unmatched(
    contract: &CompiledContract,
    case: &Case,
    message: &CaseMessage,
    unmatched: &[Arc<UnmatchedMessage>],
) -> Option<(Arc<UnmatchedMessage>, NearestCase)> {
    let turns = contract.conversations.iter().flat_map(|conversation| {
        let turns = conversation.turns.iter().zip(&conversation.expected);
        turns.map(move |(turn, expected)| (conversation, &turn.incoming, expected))
    });
    let (conversation, line, expected) = turns
        .into_iter()
        .find(|(_, line, _)| line.case.id == case.id && line.message().key == message.key)?;
    let alike = unmatched.iter().filter(|it| line.method() == Some(it.method()));
    let (_, found) = first_max(alike.map(|it| (expected.nearness(&it.incoming), it)))?;
    let differences = expected.differences(&found.incoming, &conversation.values);
    Some((Arc::clone(found), NearestCase::new(line, differences)))
}

/// The item with the largest number; the first of several.
fn first_max<T>(items: impl Iterator<Item = (f64, T)>) -> Option<(f64, T)> {
    items.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

fn suggestion(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn listed(names: &[&str]) -> String {
    let mut shown: Vec<_> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(MAX_NAMES);
    shown.extend((rest > 0).then(|| format!("{rest} more")));
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("{} {are}", words::list(shown, "and"))
}
