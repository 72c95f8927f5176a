//! The revisions and transports that a case applies to.

use mcp_test_core::json::Value;
use mcp_test_core::scenario::Transports;
use mcp_test_core::spec::{self, Era, Revision, Revisions, meta};
use mcp_test_core::transport::TransportKind;
use mcp_test_core::wire::Message;

use crate::cases::play::roles::{CaseLine, Role, roles};
use crate::cases::{CaseFile, Direction};

/// The revisions at which a conversation applies.
///
/// Those of `_revision`; else the one that the conversation names, in `initialize` or in `_meta`; else those that other cases
/// of the file name, if these count. Of these, the ones at which all its methods exist.
pub(super) fn revisions(
    lines: &[CaseLine<'_>],
    roles: &[Role],
    file_window: Option<Revisions>,
) -> Revisions {
    let declared = lines.iter().filter_map(|line| line.case.settings.revisions);
    // A case is played together with those that it continues, so that all of them have to apply.
    let declared = declared.reduce(Revisions::intersection);
    let mut window = declared
        .or_else(|| named(lines, roles).map(Revisions::only))
        .or(file_window)
        .unwrap_or(Revisions::all());
    for line in lines {
        let method = line.message.lenient().and_then(Message::method).and_then(spec::method);
        let exists = method.map(|method| match line.message.direction {
            Direction::In => method.from_client.union(method.extension),
            Direction::Out => method.from_server.union(method.extension),
        });
        // A case may test a method that does not exist.
        let narrowed = exists.map(|exists| window.intersection(exists));
        window = narrowed.filter(|narrowed| !narrowed.is_empty()).unwrap_or(window);
    }
    window
}

/// The revision that the conversation names: the agreed one of its handshake, else the requested one, else that in the `_meta`
/// of a request.
fn named(lines: &[CaseLine<'_>], roles: &[Role]) -> Option<Revision> {
    let version = |value: Option<&Value>| -> Option<Revision> { value?.as_str()?.parse().ok() };
    let handshake = roles.iter().enumerate().find_map(|(at, role)| {
        let Role::ClientRequest { answered, .. } = role else { return None };
        if !role.is_initialize() {
            return None;
        }
        let reply = answered.and_then(|at| lines[at].message.value.at("/result/protocolVersion"));
        version(reply)
            // Later revisions have no `initialize`, so that it cannot agree on one: the request counts then.
            .filter(|revision| revision.era() == Era::Handshake)
            .or_else(|| version(lines[at].message.value.at("/params/protocolVersion")))
    });
    handshake.or_else(|| {
        let of_client = lines.iter().filter(|line| line.message.direction == Direction::In);
        let metas = of_client.filter_map(|line| line.message.value.at("/params/_meta"));
        metas.filter_map(|all| version(all.get(meta::PROTOCOL_VERSION))).next()
    })
}

/// The revisions that the cases of a file name in `initialize`.
pub(super) fn file_window(file: &CaseFile) -> Option<Revisions> {
    let named = file.cases.iter().filter_map(|case| {
        let lines: Vec<CaseLine<'_>> = super::lines_of(file, case).collect();
        let roles = roles(&lines);
        roles.iter().any(Role::is_initialize).then(|| named(&lines, &roles)).flatten()
    });
    named.map(Revisions::only).reduce(Revisions::union)
}

/// The transports that `_transport` names, and their in-process equivalents.
pub(super) fn transports(lines: &[CaseLine<'_>]) -> Transports {
    let mut allowed: Vec<TransportKind> = TransportKind::ALL.to_vec();
    for line in lines {
        let named = &line.case.settings.transports;
        allowed.retain(|transport| {
            // They carry the same messages, so that a case need not name them.
            let equivalent = match transport {
                TransportKind::Duplex => TransportKind::Stdio,
                TransportKind::Router => TransportKind::Http,
                other => *other,
            };
            named.is_empty() || named.contains(transport) || named.contains(&equivalent)
        });
    }
    match allowed.len() == TransportKind::ALL.len() {
        true => Transports::Any,
        // Leaked, because those of built-in scenarios are constants; a case needs only a few bytes, once per run.
        false => Transports::Only(Vec::leak(allowed)),
    }
}
