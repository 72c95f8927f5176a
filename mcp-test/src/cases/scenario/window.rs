//! Where a case holds: at which revisions, and over which carriers.

use crate::cases::play::roles::{Line, Role, understood};
use crate::cases::{CaseFile, Direction};
use crate::json::Value;
use crate::scenario::Carriers;
use crate::spec::{self, Era, Revision, Revisions, meta};
use crate::transport::CarrierKind;
use crate::wire::Message;

/// The revisions at which a conversation makes sense.
///
/// What `_revision` says; else the one that the conversation itself names, in `initialize` or in `_meta`; else the ones that
/// the file's other cases name, if that is to count. Within these, where all its methods exist.
pub(super) fn revisions(
    lines: &[Line<'_>],
    roles: &[Role],
    of_file: Option<Revisions>,
) -> Revisions {
    let settings = lines.iter().filter_map(|line| line.case.settings.revisions);
    let said = settings.reduce(Revisions::intersection);
    let mut window = said
        .or_else(|| named(lines, roles).map(Revisions::only))
        .or(of_file)
        .unwrap_or(Revisions::all());
    for line in lines {
        let message = understood(&line.message.value);
        let method = message.as_ref().and_then(Message::method).and_then(spec::method);
        let exists = method.map(|method| match line.message.direction {
            Direction::In => method.from_client.union(method.extension),
            Direction::Out => method.from_server.union(method.extension),
        });
        // A case may be about a method that does not exist.
        let narrowed = exists.map(|exists| window.intersection(exists));
        window = narrowed.filter(|narrowed| !narrowed.is_empty()).unwrap_or(window);
    }
    window
}

/// The revision that the conversation itself names: what is agreed in its handshake, else what is asked for there, else what
/// one of its requests says in `_meta`.
fn named(lines: &[Line<'_>], roles: &[Role]) -> Option<Revision> {
    let version = |value: Option<&Value>| -> Option<Revision> { value?.as_str()?.parse().ok() };
    let handshake = roles.iter().enumerate().find_map(|(at, role)| {
        let Role::Asks { answered, .. } = role else { return None };
        let replied = answered.filter(|_| role.opens()).map(|at| &lines[at].message.value);
        let asked = role.opens().then(|| &lines[at].message.value);
        version(replied.and_then(|reply| reply.at("/result/protocolVersion")))
            .filter(|revision| revision.era() == Era::Handshake)
            .or_else(|| version(asked.and_then(|asked| asked.at("/params/protocolVersion"))))
    });
    handshake.or_else(|| {
        let of_client = lines.iter().filter(|line| line.message.direction == Direction::In);
        let metas = of_client.filter_map(|line| line.message.value.at("/params/_meta"));
        metas.filter_map(|all| version(all.get(meta::PROTOCOL_VERSION))).next()
    })
}

/// The revisions that the cases of a file name in `initialize`.
pub(super) fn of_file(file: &CaseFile) -> Option<Revisions> {
    let named = file.cases.iter().filter_map(|case| {
        let lines: Vec<Line<'_>> = super::lines_of(file, case).collect();
        let roles = crate::cases::play::roles::roles(&lines);
        roles.iter().any(Role::opens).then(|| named(&lines, &roles)).flatten()
    });
    named.map(Revisions::only).reduce(Revisions::union)
}

/// The carriers that `_transport` names. Those in this process stand for the ones that they stand in for.
pub(super) fn carriers(lines: &[Line<'_>]) -> Carriers {
    let mut allowed: Vec<CarrierKind> = CarrierKind::ALL.to_vec();
    for line in lines {
        let named = &line.case.settings.transports;
        allowed.retain(|carrier| {
            let stands_for = match carrier {
                CarrierKind::Duplex => CarrierKind::Stdio,
                CarrierKind::Router => CarrierKind::Http,
                other => *other,
            };
            named.is_empty() || named.contains(carrier) || named.contains(&stands_for)
        });
    }
    match allowed.len() == CarrierKind::ALL.len() {
        true => Carriers::Any,
        false => Carriers::Only(Vec::leak(allowed)),
    }
}
