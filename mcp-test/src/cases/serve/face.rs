//! How the server of a contract presents itself: as its cases say, or else by what they show that it can do.

use super::edition::Chain;
use super::line::Line;
use super::turn::{Act, Turn};
use crate::cases::Cases;
use crate::json::{Object, Value};
use crate::server::Face;
use crate::spec::{self, Capability, Revision, Revisions, Side, meta};

/// The face of the server.
pub(super) fn of(cases: &Cases, chains: &[Chain], served: Revisions) -> Face {
    let introduction =
        result_of(chains, "initialize").or_else(|| result_of(chains, "server/discover"));
    let told = |member: &str| introduction.and_then(|result| result.get(member)).cloned();
    let info = told("serverInfo").or_else(|| signature(chains).cloned());
    Face {
        info: info.unwrap_or_else(|| named_after_file(cases)),
        instructions: told("instructions").and_then(|text| text.as_str().map(str::to_owned)),
        capabilities: told("capabilities").unwrap_or_else(|| shown(chains)),
        revisions: revisions(chains, served),
    }
}

/// The first result that a case has for a method.
fn result_of<'a>(chains: &'a [Chain], method: &str) -> Option<&'a Value> {
    let turns = chains.iter().flat_map(|chain| &chain.turns);
    let mut asked = turns.filter(|turn| turn.heard.method() == Some(method));
    asked.find_map(|turn| turn.reply()?.value().get("result"))
}

/// The name in the results of the stateless era.
fn signature(chains: &[Chain]) -> Option<&Value> {
    let mut replies = chains.iter().flat_map(|chain| &chain.turns).filter_map(Turn::reply);
    replies.find_map(|reply| reply.value().at("/result/_meta")?.get(meta::SERVER_INFO))
}

/// Without a name of its own, the server is called like the first file.
fn named_after_file(cases: &Cases) -> Value {
    let path = cases.files.first().map_or("", |file| file.path.as_str());
    let stem = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str());
    let name = stem.filter(|stem| !stem.is_empty()).unwrap_or("cases");
    Object::from_iter([("name", name), ("version", "0.0.0")]).into()
}

/// What the server can do, by what it is asked for and what it tells.
fn shown(chains: &[Chain]) -> Value {
    let mut capabilities = Value::from(Object::new());
    let turns = || chains.iter().flat_map(|chain| &chain.turns);
    let heard =
        turns().filter(|turn| turn.reply().is_none() || turn.succeeds()).map(|turn| &turn.heard);
    let acts =
        turns().flat_map(|turn| &turn.acts).chain(chains.iter().flat_map(|chain| &chain.opening));
    let told = acts.filter_map(|act| match act {
        Act::Tell(line) => Some(line),
        Act::Ask { .. } | Act::Reply(_) => None,
    });
    for method in heard.chain(told).filter_map(Line::method).filter_map(spec::method) {
        let known = method.capabilities.iter().filter(|capability| is_of_servers(**capability));
        known.for_each(|capability| declare(&mut capabilities, *capability));
    }
    capabilities
}

fn is_of_servers(capability: Capability) -> bool {
    capability.sides().contains(Side::Server)
}

/// Declares a capability, and what it is a part of.
fn declare(capabilities: &mut Value, declared: Capability) {
    let Some((above, _)) = declared.pointer().rsplit_once('/') else { return };
    for (at, _) in declared.pointer().match_indices('/').skip(1) {
        let parent = &declared.pointer()[..at];
        if capabilities.at(parent).is_none() {
            capabilities.set(parent, Object::new().into());
        }
    }
    if capabilities.at(declared.pointer()).is_none() && capabilities.at(above).is_some() {
        // A part of a capability that says yes or no is declared by `true`.
        let mut flag = capabilities.clone();
        flag.set(declared.pointer(), true.into());
        let is_flag = declared.declared_in(&flag);
        let value = if is_flag { true.into() } else { Object::new().into() };
        capabilities.set(declared.pointer(), value);
    }
}

/// The revisions that the server speaks: those at which a case holds, without those that it declines in a case.
fn revisions(chains: &[Chain], served: Revisions) -> Revisions {
    let hold = chains.iter().fold(Revisions::none(), |all, chain| all.union(chain.revisions));
    let hold = if chains.is_empty() { Revisions::all() } else { hold };
    let turns = chains.iter().flat_map(|chain| &chain.turns);
    let declined: Vec<Revision> = turns
        .filter(|turn| turn.heard.method() == Some("initialize"))
        .filter_map(|turn| {
            let asked = turn.heard.param("protocolVersion")?.as_str()?;
            let agreed = turn.reply()?.value().at("/result/protocolVersion")?.as_str()?;
            (asked != agreed).then(|| asked.parse().ok())?
        })
        .collect();
    let wanted = served.intersection(hold).iter().filter(|revision| !declined.contains(revision));
    let wanted = wanted.fold(Revisions::none(), |all, one| all.union(Revisions::only(one)));
    // A contract that leaves nothing is served at all that it is asked to be.
    if wanted.is_empty() { served } else { wanted }
}
