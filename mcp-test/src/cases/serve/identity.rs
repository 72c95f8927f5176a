//! The identity of a contract's server: as its cases have it, or else inferred from what they exchange.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::server::mock_support::Identity;
use mcp_test_core::spec::{self, Capability, Era, Revision, Revisions, Side, meta};

use super::conversation::ServedConversation;
use super::message_ref::MessageRef;
use super::turn::{Action, Turn};
use crate::cases::Cases;

/// The identity of the server.
pub(super) fn infer_identity(
    cases: &Cases,
    conversations: &[ServedConversation],
    served: Revisions,
) -> Identity {
    let introduction = result_of(conversations, "initialize")
        .or_else(|| result_of(conversations, "server/discover"));
    let introduced = |member: &str| introduction.and_then(|result| result.get(member)).cloned();
    let info = introduced("serverInfo").or_else(|| server_info(conversations).cloned());
    Identity {
        info: info.unwrap_or_else(|| named_after_file(cases)),
        instructions: introduced("instructions").and_then(|text| text.as_str().map(str::to_owned)),
        capabilities: introduced("capabilities")
            .unwrap_or_else(|| infer_capabilities(conversations)),
        revisions: revisions(conversations, served),
    }
}

/// The first result of a method in the cases.
fn result_of<'a>(conversations: &'a [ServedConversation], method: &str) -> Option<&'a Value> {
    let turns = conversations.iter().flat_map(|conversation| &conversation.turns);
    let mut requested = turns.filter(|turn| turn.incoming.method() == Some(method));
    requested.find_map(|turn| turn.reply()?.value().get("result"))
}

/// The server's name in results of the stateless era.
fn server_info(conversations: &[ServedConversation]) -> Option<&Value> {
    let mut replies =
        conversations.iter().flat_map(|conversation| &conversation.turns).filter_map(Turn::reply);
    replies.find_map(|reply| reply.value().at("/result/_meta")?.get(meta::SERVER_INFO))
}

/// A server without a name in any case is named after the first file.
fn named_after_file(cases: &Cases) -> Value {
    let path = cases.files.first().map_or("", |file| file.path.as_str());
    let stem = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str());
    let name = stem.filter(|stem| !stem.is_empty()).unwrap_or("cases");
    Object::from_iter([("name", name), ("version", "0.0.0")]).into()
}

/// The capabilities of the methods that cases exchange.
fn infer_capabilities(conversations: &[ServedConversation]) -> Value {
    let mut capabilities = Value::from(Object::new());
    let turns = || conversations.iter().flat_map(|conversation| &conversation.turns);
    // A method that the cases only refuse is not evidence of its capability.
    let incoming =
        turns().filter(|turn| turn.reply().is_none() || turn.succeeds()).map(|turn| &turn.incoming);
    let actions = turns()
        .flat_map(|turn| &turn.actions)
        .chain(conversations.iter().flat_map(|conversation| &conversation.opening));
    let sent = actions.filter_map(|action| match action {
        Action::Notify(line) => Some(line),
        Action::Ask { .. } | Action::Reply(_) => None,
    });
    for method in incoming.chain(sent).filter_map(MessageRef::method).filter_map(spec::method) {
        let known = method.capabilities.iter().filter(|capability| is_of_servers(**capability));
        known.for_each(|capability| declare(&mut capabilities, *capability));
    }
    capabilities
}

fn is_of_servers(capability: Capability) -> bool {
    capability.sides().contains(Side::Server)
}

/// Declares a capability, and those that contain it.
pub(in crate::cases) fn declare(capabilities: &mut Value, declared: Capability) {
    let Some((above, _)) = declared.pointer().rsplit_once('/') else { return };
    for (at, _) in declared.pointer().match_indices('/').skip(1) {
        let parent = &declared.pointer()[..at];
        if capabilities.at(parent).is_none() {
            capabilities.set(parent, Object::new().into());
        }
    }
    if capabilities.at(declared.pointer()).is_none() && capabilities.at(above).is_some() {
        // Some parts of capabilities are flags and some are objects; only a flag counts as declared when it is `true`.
        let mut flag = capabilities.clone();
        flag.set(declared.pointer(), true.into());
        let is_flag = declared.declared_in(&flag);
        let value = if is_flag { true.into() } else { Object::new().into() };
        capabilities.set(declared.pointer(), value);
    }
}

/// The revisions that the server supports: those of the cases and, with a handshake, only those that a case negotiates.
fn revisions(conversations: &[ServedConversation], served: Revisions) -> Revisions {
    let covered = conversations
        .iter()
        .fold(Revisions::none(), |all, conversation| all.union(conversation.revisions));
    let covered = if conversations.is_empty() { Revisions::all() } else { covered };
    let turns = conversations.iter().flat_map(|conversation| &conversation.turns);
    let negotiated: Vec<Revision> = turns
        .filter(|turn| turn.incoming.method() == Some("initialize"))
        .filter_map(|turn| {
            turn.reply()?.value().at("/result/protocolVersion")?.as_str()?.parse().ok()
        })
        .collect();
    let wanted = served.intersection(covered);
    let only = |era: Era, is_it: &dyn Fn(Revision) -> bool| {
        let all = wanted.iter().filter(|revision| revision.era() == era && is_it(*revision));
        all.fold(Revisions::none(), |all, one| all.union(Revisions::only(one)))
    };
    // What a case negotiates says nothing about clients without a handshake.
    let stateless = only(Era::Stateless, &|_| true);
    let handshake = only(Era::Handshake, &|revision| negotiated.contains(&revision));
    match () {
        // Cases that exclude each other's revisions are no reason to serve none.
        () if wanted.is_empty() => served,
        // Neither is a user who wants another one than the cases negotiate.
        () if handshake.is_empty() => wanted,
        () => handshake.union(stateless),
    }
}
