//! Checks that requests and replies belong together.

use std::collections::HashSet;

use mcp_test_core::json::Number;
use mcp_test_core::spec::LISTEN;
use mcp_test_core::trace::{Correlation, Party, Relation, Request};
use mcp_test_core::wire::{Id, Message};

use super::case_chain::CaseChain;
use crate::cases::format::lints::{REPLY_WITHOUT_REQUEST, SAME_ID, SECOND_REPLY, UNANSWERED};
use crate::cases::format::suggest::quoted;
use crate::cases::{CaseMessage, Diagnostic};

/// The largest number of ids in a message.
const FEW: usize = 8;

/// The id of the other type that looks the same.
// JSON-RPC 2.0 (section 5): the id of a response is the same value as that of the request, so that `1` is not `"1"`.
fn retyped(id: &Id) -> Option<Id> {
    match id {
        Id::Number(number) => Some(Id::from(number.as_str())),
        Id::String(text) => Number::parse(text).map(Id::from),
        Id::Null => None,
    }
}

pub(super) fn check(chain: &CaseChain<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut conversation = Correlation::default();
    for (case_message, message) in chain.messages() {
        // JSON-RPC 2.0 (section 5): the id is null if the receiver could not read it, so that the request is not known.
        if matches!(message, Message::Error(reply) if matches!(reply.id, None | Some(Id::Null))) {
            continue;
        }
        let direction = case_message.direction;
        let correlated = conversation.message(direction.sender(), None, case_message, message);
        let relation = correlated.relation;
        match (relation, message.id()) {
            (Relation::Request { previous: Some(previous), .. }, Some(id)) => {
                let text = format!("two requests have the id {id}");
                let diagnostic =
                    chain.diagnostic(&SAME_ID, case_message.span_of_member("id"), text);
                let first = previous.position.span_of_member("id");
                found.push(diagnostic.label("used again here").also(first, "first used here"));
            }
            (Relation::Reply(reply), Some(id)) => match reply.request {
                None => {
                    let requests = conversation.requests(direction.opposite().sender());
                    found.push(without_request(chain, case_message, id, requests));
                }
                Some(Request { position: request, reply: Some(first), .. }) => {
                    let text = format!("`{}` is answered twice", request.key);
                    let place = case_message.span_of_member("id");
                    let diagnostic = chain.diagnostic(&SECOND_REPLY, place, text);
                    let diagnostic = diagnostic.label("the second reply");
                    found.push(diagnostic.also(first.span_of_member("id"), "the first reply"));
                }
                Some(_) => {}
            },
            _ => {}
        }
    }
    // At the end, because a reply or a cancellation may come after any number of other messages.
    for side in [Party::Client, Party::Server] {
        let open = conversation.requests(side).filter(|request| {
            request.reply.is_none() && !request.is_cancelled && &*request.method != LISTEN
        });
        found.extend(open.map(|request| unanswered(chain, request.position)));
    }
    found
}

fn without_request<'r>(
    chain: &CaseChain<'_>,
    reply: &CaseMessage,
    id: &Id,
    requests: impl Iterator<Item = &'r Request<&'r CaseMessage>>,
) -> Diagnostic {
    let known: HashSet<&Id> = requests.map(|request| &*request.id).collect();
    let text = format!("`{}` answers a request that does not exist", reply.key);
    let label = match known.len() {
        0 => "no request precedes it".to_owned(),
        few @ ..=FEW => {
            let mut ids: Vec<String> = known.iter().map(ToString::to_string).collect();
            ids.sort();
            let requests = if few == 1 { "request has id" } else { "requests have ids" };
            format!("the preceding {requests} {}", quoted(&ids))
        }
        many => format!("none of the {many} preceding requests has this id"),
    };
    let retyped = retyped(id).filter(|other| known.contains(other));
    let help = retyped.map(|other| format!("did you mean `{other}`? `{id}` is a different id"));
    let place = reply.span_of_member("id");
    chain.diagnostic(&REPLY_WITHOUT_REQUEST, place, text).label(label).help(help)
}

fn unanswered(chain: &CaseChain<'_>, request: &CaseMessage) -> Diagnostic {
    let text = format!("`{}` is a request without a reply", request.key);
    let label = format!("no `{}…` has its id", request.direction.opposite());
    chain.diagnostic(&UNANSWERED, request.key_span, text).label(label)
}
