//! Checks that the handshake of a file declares what its cases use.
//!
//! A client that follows MCP does not use what its server has not declared, and a server that has it declares it: such a contract
//! cannot be kept on both sides.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::{self, Capability, Revision, Side};
use mcp_test_core::trace::{Correlation, Party};
use mcp_test_core::wire::Message;

use super::case_chain::CaseChain;
use super::protocol::window;
use crate::cases::format::lints::UNDECLARED_CAPABILITY;
use crate::cases::serve::identity::declare;
use crate::cases::{CaseFile, CaseMessage, Diagnostic};

/// The reply to an `initialize`.
#[derive(Clone, Copy)]
struct Handshake<'a> {
    reply: &'a CaseMessage,
    revision: Revision,
    capabilities: &'a Value,
}

/// The handshakes of a file that negotiate one revision: the first one, and what any of them declares.
struct Declared<'a> {
    first: Handshake<'a>,
    capabilities: HashSet<Capability>,
}

pub(super) fn check(file: &CaseFile, chains: &[CaseChain<'_>]) -> Vec<Diagnostic> {
    let of_file = by_revision(chains);
    let mut found = Vec::new();
    // The handshake is the cause, so that each capability is reported once.
    let mut reported: HashSet<Capability> = HashSet::new();
    for chain in chains.iter().filter(|_| !of_file.is_empty()) {
        let own = handshake(chain).map(Declared::new);
        let is_bare = chain.cases.iter().any(|case| case.settings.bare);
        let applicable: Vec<&Declared<'_>> = match &own {
            Some(own) => vec![own],
            None if is_bare => continue,
            None => {
                let window = window(chain);
                of_file.iter().filter(|it| window.contains(it.first.revision)).collect()
            }
        };
        let Some(Declared { first, .. }) = applicable.first() else { continue };
        for (request, method) in answered(chain) {
            let known = spec::method(&method).and_then(|method| method.capability(first.revision));
            let Some(needed) = known.filter(|it| it.sides().contains(Side::Server)) else {
                continue;
            };
            let is_declared = applicable.iter().any(|it| it.capabilities.contains(&needed));
            if !is_declared && reported.insert(needed) {
                found.push(undeclared(file, request, (&method, needed), first));
            }
        }
    }
    found
}

impl<'a> Declared<'a> {
    fn new(first: Handshake<'a>) -> Self {
        Self { first, capabilities: first.declared().collect() }
    }
}

impl Handshake<'_> {
    fn declared(&self) -> impl Iterator<Item = Capability> {
        let all = Capability::ALL.iter().copied();
        all.filter(|capability| capability.declared_in(self.capabilities))
    }
}

/// The handshakes of a file, by the revision that they negotiate.
fn by_revision<'a>(chains: &[CaseChain<'a>]) -> Vec<Declared<'a>> {
    let mut all: Vec<Declared<'a>> = Vec::new();
    for handshake in chains.iter().filter_map(handshake) {
        match all.iter_mut().find(|known| known.first.revision == handshake.revision) {
            Some(known) => known.capabilities.extend(handshake.declared()),
            None => all.push(Declared::new(handshake)),
        }
    }
    all
}

/// The handshake of a chain.
fn handshake<'a>(chain: &CaseChain<'a>) -> Option<Handshake<'a>> {
    chain.messages().find_map(|(reply, message)| {
        let Message::Response(response) = message else { return None };
        let revision = response.result.get("protocolVersion")?.as_str()?.parse().ok()?;
        let capabilities = response.result.get("capabilities").filter(|_| reply.direction.is_out());
        Some(Handshake { reply, revision, capabilities: capabilities? })
    })
}

/// The requests of the client that are answered with a result, with their methods.
fn answered<'a>(chain: &CaseChain<'a>) -> Vec<(&'a CaseMessage, Arc<str>)> {
    let mut conversation = Correlation::default();
    for (case_message, message) in chain.messages() {
        conversation.message(case_message.direction.sender(), None, case_message, message);
    }
    let requests = conversation.requests(Party::Client).filter(|request| {
        let reply = request.reply.and_then(|reply| reply.message.as_ref());
        matches!(reply, Some(Message::Response(_)))
    });
    requests.map(|request| (request.position, Arc::clone(&request.method))).collect()
}

fn undeclared(
    file: &CaseFile,
    request: &CaseMessage,
    (method, needed): (&str, Capability),
    handshake: &Handshake<'_>,
) -> Diagnostic {
    let mut complete = handshake.capabilities.clone();
    declare(&mut complete, needed);
    let text =
        format!("`{method}` needs the capability `{needed}`, which the handshake does not declare");
    let place = Pointer::root().member("result").member("capabilities");
    let span = request.span_of_member("method");
    Diagnostic::new(&UNDECLARED_CAPABILITY, (&file.path, &file.text), span, text)
        .label("a client does not send it to such a server")
        .also(handshake.reply.span_of(&place), "the server declares only this")
        .help(format!("write `\"capabilities\": {}`", complete.short(120)))
}
