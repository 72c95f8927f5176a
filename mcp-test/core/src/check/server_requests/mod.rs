//! The rules for what a server asks of its client: elicitation, sampling and roots.
//!
//! Until 2025-11-25 these are requests of the server; at 2026-07-28 they are in the `inputRequests` of a result. What a message
//! shape says of them is judged by [`judge_shapes`](super::judge_shapes), whose findings cite the same rules: see [`places`].

pub(super) mod form;
pub(super) mod places;
mod sampling;
mod secrets;
#[cfg(test)]
mod tests;
mod url;

use std::collections::{HashMap, HashSet};

use super::findings::Findings;
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage};
use super::{Cause, Finding};
use crate::check::cited::{Cited, cites};
use crate::expect::words;
use crate::json::{Object, Value};
use crate::spec::schema::{Authority, Schemas};
use crate::spec::{Capability, Requirement, Revision, error_code, meta, method};
use crate::trace::{ConnectionId, EventKind, Party, Position};
use crate::wire::{ErrorReply, Message, Notification};

cites! {
    BASE_CAPABILITIES_RESPECTED, BASE_CAPABILITY_UNDECLARED_NOT_USED,
    CACHING_HINTS_NONE_ON_INPUT_REQUIRED, ELICITATION_CAPABILITY_EMPTY_MEANS_FORM,
    ELICITATION_COMPLETE_CARRIES_ID, ELICITATION_COMPLETE_ONLY_TO_INITIATOR,
    ELICITATION_COMPLETE_REMOVED, ELICITATION_REQUEST_SUPPORTED_MODES_ONLY,
    ELICITATION_URL_ELICITATION_ID_UNIQUE, ELICITATION_URL_REQUIRED_ERROR_CODE,
    ELICITATION_URL_REQUIRED_ERROR_LISTS_ELICITATIONS,
    ELICITATION_URL_REQUIRED_ERROR_ONLY_WHEN_NEEDED, MRTR_RESULT_TYPE, MRTR_UNDECLARED_INPUT_KIND,
    ROOTS_LIST_REQUIRES_CAPABILITY,
}

/// What the files of this folder cite, file by file.
pub(super) const CITED_BY_FILES: &[&[&Requirement]] =
    &[CITED, form::CITED, sampling::CITED, secrets::CITED, url::CITED];

const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

/// The notification that an elicitation in URL mode is complete.
const COMPLETE: &str = "notifications/elicitation/complete";

/// Something wrong, and the rules that it breaks where they hold.
struct Violation {
    rules: Vec<Cited>,
    finding: Finding,
}

impl Violation {
    fn new(rules: impl Into<Vec<Cited>>, headline: impl Into<String>) -> Self {
        Self { rules: rules.into(), finding: Finding::peer(headline) }
    }

    fn expected(mut self, expected: &str) -> Self {
        self.finding = self.finding.expected(expected);
        self
    }

    fn got(mut self, got: impl Into<String>) -> Self {
        self.finding = self.finding.got(got);
        self
    }

    fn got_value(self, got: Option<&Value>) -> Self {
        self.got(words::got(got))
    }
}

/// What is known of the requests for input while the trace is read.
#[derive(Default)]
pub(super) struct ServerRequestJudge {
    /// The capabilities of clients, from `initialize`.
    clients: HashMap<ConnectionId, Value>,
    /// The capabilities that a request declares itself.
    declared: RecentMap<Position, Value>,
    /// The URLs of elicitations, by their ids. Over stdio each connection is to a server of its own.
    urls: RecentMap<(Option<ConnectionId>, String), String>,
    /// The connections on which a URL elicitation with an id was started.
    started: RecentMap<String, HashSet<ConnectionId>>,
    pub(super) findings: Findings,
}

/// Where a request for input is.
#[derive(Clone, Copy)]
struct Place<'a> {
    event: JudgedEvent<'a>,
    revision: Revision,
    /// The capabilities of the client, where they are known.
    declared: Option<&'a Value>,
}

impl EventJudge for ServerRequestJudge {
    fn miss_parts(&mut self) {
        self.findings.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        self.findings.so_far()
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        for message in messages {
            let revision = message.revision.unwrap_or(event.opened_for);
            let of_client = self.clients.get(&event.connection).cloned();
            let declared = of_client.as_ref();
            let place = Place { event, revision, declared };
            match (event.party, message.message) {
                (Party::Client, Message::Request(request)) => {
                    self.asked(event, message.position, &request.method, request.params.as_ref());
                }
                // Where servers send no requests, that alone is the finding.
                (Party::Server, Message::Request(request)) if revision.has_server_requests() => {
                    self.input_request(place, &request.method, request.params.as_ref());
                }
                (Party::Server, Message::Notification(notification)) => {
                    self.notification(place, notification);
                }
                (Party::Server, Message::Response(response)) => {
                    let Some(request) = message.request() else { continue };
                    let declared = self.declared.get(&request.position).cloned();
                    let place = Place { declared: declared.as_ref(), ..place };
                    self.result(place, &request.method, &response.result);
                }
                (Party::Server, Message::Error(reply)) => self.error(place, reply),
                _ => {}
            }
        }
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.clients.remove(&connection);
    }
}

impl ServerRequestJudge {
    /// A request of the client, which declares capabilities.
    fn asked(
        &mut self,
        event: JudgedEvent<'_>,
        position: Position,
        method: &str,
        params: Option<&Value>,
    ) {
        if method == "initialize" {
            let declared = params.and_then(|params| params.get("capabilities"));
            match declared {
                Some(declared) => self.clients.insert(event.connection, declared.clone()),
                None => self.clients.remove(&event.connection),
            };
        }
        let in_meta = params.and_then(|params| params.get("_meta")?.get(meta::CLIENT_CAPABILITIES));
        if let Some(declared) = in_meta {
            self.declared.insert(position, declared.clone());
        }
    }

    /// A result of the stateless era, which may ask for input.
    fn result(&mut self, place: Place<'_>, answers: &str, result: &Value) {
        if !place.revision.has_input_requests() {
            return;
        }
        let kind = result.get("resultType").and_then(Value::as_str);
        let requests = result.get("inputRequests").and_then(Value::as_object);
        let requests: Vec<(&str, &Value)> =
            requests.into_iter().flat_map(Object::effective).collect();
        let method_of = |request: &Value| -> Option<String> {
            request.get("method").and_then(Value::as_str).map(str::to_owned)
        };
        if kind == Some("input_required") {
            let hint = ["ttlMs", "cacheScope"].into_iter().find(|it| result.get(it).is_some());
            if let Some(hint) = hint {
                let headline =
                    format!("the result of `{answers}` asks for input, and to be cached");
                let violation = Violation::new([CACHING_HINTS_NONE_ON_INPUT_REQUIRED], headline);
                self.find(
                    place,
                    violation.expected("neither `ttlMs` nor `cacheScope`").got(format!("`{hint}`")),
                );
            }
            for (_, request) in requests {
                if let Some(method) = method_of(request) {
                    self.input_request(place, &method, request.get("params"));
                }
            }
            return;
        }
        let is_known = |method: &str| [ELICITATION, SAMPLING, ROOTS].contains(&method);
        // Of other results the member may mean something else, such as in those of tasks.
        let may_ask = method(answers).is_some_and(|known| known.may_need_input);
        if may_ask
            && let Some(kind) = kind
            && requests
                .iter()
                .any(|(_, request)| method_of(request).is_some_and(|it| is_known(&it)))
        {
            let headline = format!("the result of `{answers}` asks for input, but does not say so");
            let violation = Violation::new([MRTR_RESULT_TYPE], headline);
            let got = format!("`inputRequests`, with the `resultType` {kind:?}");
            self.find(place, violation.expected("the `resultType` \"input_required\"").got(got));
        }
    }

    /// A request for input, in either form.
    fn input_request(&mut self, place: Place<'_>, method: &str, params: Option<&Value>) {
        if !matches!(method, ELICITATION | SAMPLING | ROOTS) {
            return;
        }
        // In the handshake era `ConversationJudge` compares requests with what the client declares.
        if place.revision.has_input_requests() && !self.is_declared(place, method) {
            return;
        }
        let Some(params) = params.filter(|params| params.is_object()) else { return };
        match method {
            ELICITATION => self.elicitation(place, params),
            SAMPLING => {
                for violation in sampling::params_violations(params, place.declared, place.revision)
                {
                    self.find(place, violation);
                }
            }
            _ => {}
        }
    }

    /// Whether the client declares what an input request needs.
    fn is_declared(&mut self, place: Place<'_>, name: &str) -> bool {
        let needed = method(name).and_then(|known| known.capability(place.revision));
        let (Some(declared), Some(needed)) = (place.declared, needed) else { return true };
        if needed.declared_in(declared) {
            return true;
        }
        let mut rules = OF_UNDECLARED.to_vec();
        rules.extend((name == ROOTS).then_some(ROOTS_LIST_REQUIRES_CAPABILITY));
        let headline = format!("the server asks for `{name}` without the capability for it");
        let expected = format!("nothing that needs `{needed}`, which the client does not declare");
        let violation =
            Violation::new(rules, headline).expected(&expected).got(format!("`{name}`"));
        self.find(place, undeclared(violation, name));
        false
    }

    fn elicitation(&mut self, place: Place<'_>, params: &Value) {
        if !place.revision.has_elicitation() {
            return;
        }
        let has_modes = place.revision.has_url_elicitation();
        let mode = params.get("mode").filter(|_| has_modes).map(Value::as_str);
        let violations = match mode {
            Some(Some("url")) => {
                self.mode(place, Capability::ElicitationUrl);
                self.remember_url(place, params);
                url::params_violations(params)
            }
            None | Some(Some("form")) => {
                self.mode(place, Capability::ElicitationForm);
                form_violations(params, place.revision)
            }
            // The shape allows no other mode.
            Some(_) => Vec::new(),
        };
        for violation in violations {
            self.find(place, violation);
        }
    }

    /// Compares the mode of an elicitation with those that the client declares.
    fn mode(&mut self, place: Place<'_>, needed: Capability) {
        let Some(declared) = place.declared else { return };
        // A client that declares nothing of it gets no elicitation at all, which is another finding.
        if !Capability::Elicitation.declared_in(declared) || needed.declared_in(declared) {
            return;
        }
        let mut rules = vec![ELICITATION_REQUEST_SUPPORTED_MODES_ONLY];
        let declares_form = Capability::ElicitationForm.declared_in(declared);
        let names_form = declared.at("/elicitation/form").is_some();
        // An empty object means the form.
        rules.extend(
            (declares_form && !names_form).then_some(ELICITATION_CAPABILITY_EMPTY_MEANS_FORM),
        );
        rules.extend(OF_UNDECLARED);
        let violation =
            Violation::new(rules, "an elicitation has a mode that the client does not support")
                .expected(&format!(
                    "nothing that needs `{needed}`, which the client does not declare"
                ))
                .got_value(declared.get("elicitation"));
        self.find(place, undeclared(violation, ELICITATION));
    }

    /// Remembers the id of an elicitation in URL mode, which is unique.
    fn remember_url(&mut self, place: Place<'_>, params: &Value) {
        let text = |name| params.get(name).and_then(Value::as_str);
        let (Some(id), Some(url)) = (text("elicitationId"), text("url")) else { return };
        let Place { event, .. } = place;
        self.started.entry(id.to_owned()).insert(event.connection);
        let server = event.exchange.is_none().then_some(event.connection);
        let key = (server, id.to_owned());
        let before = self.urls.get(&key).cloned();
        if before.is_none() {
            self.urls.insert(key, url.to_owned());
        }
        // The same URL again may belong to the same elicitation, which the user has not finished.
        if before.is_some_and(|before| before != url) {
            let violation = Violation::new(
                [ELICITATION_URL_ELICITATION_ID_UNIQUE],
                "two elicitations in URL mode have one id",
            )
            .expected("an `elicitationId` of its own for each elicitation")
            .got(format!("{:?} with another URL before", words::excerpt(id)));
            self.find(place, violation);
        }
    }

    /// The error that requires an elicitation in URL mode.
    fn error(&mut self, place: Place<'_>, reply: &ErrorReply) {
        if !ELICITATION_URL_REQUIRED_ERROR_CODE.applies_at(place.revision) {
            return;
        }
        let listed =
            reply.error.data.as_ref().and_then(|data| data.get("elicitations")?.as_array());
        // Without a list it does not have its shape.
        let Some(listed) = listed else { return };
        if reply.error.code != error_code::URL_ELICITATION_REQUIRED {
            let is_url = |params: &Value| params.get("mode").and_then(Value::as_str) == Some("url");
            if !listed.is_empty() && listed.iter().all(is_url) {
                let headline = "an error that lists elicitations in URL mode has another code";
                let violation = Violation::new([ELICITATION_URL_REQUIRED_ERROR_CODE], headline)
                    .expected(&error_code::URL_ELICITATION_REQUIRED.to_string())
                    .got(reply.error.code.to_string());
                self.find(place, violation);
            }
            return;
        }
        if listed.is_empty() {
            let rules = [
                ELICITATION_URL_REQUIRED_ERROR_LISTS_ELICITATIONS,
                ELICITATION_URL_REQUIRED_ERROR_ONLY_WHEN_NEEDED,
            ];
            let violation =
                Violation::new(rules, "an error requires an elicitation, but names none")
                    .expected("at least one elicitation in `data.elicitations`")
                    .got("an empty array");
            self.find(place, violation);
        }
        for params in listed {
            if let Some(id) = params.get("elicitationId").and_then(Value::as_str) {
                self.started.entry(id.to_owned()).insert(place.event.connection);
            }
            for violation in url::params_violations(params) {
                self.find(place, violation);
            }
        }
    }

    fn notification(&mut self, place: Place<'_>, notification: &Notification) {
        if notification.method != COMPLETE {
            return;
        }
        if ELICITATION_COMPLETE_REMOVED.applies_at(place.revision) {
            let violation = Violation::new(
                [ELICITATION_COMPLETE_REMOVED],
                format!("the server sent `{COMPLETE}`"),
            );
            let expected =
                "no such notification: clients learn by a retry that an elicitation is complete";
            self.find(place, violation.expected(expected).got(format!("`{COMPLETE}`")));
            return;
        }
        let params = notification.params.as_ref();
        let id = params.and_then(|params| params.get("elicitationId")?.as_str());
        let is_incomplete = self.findings.elided || self.started.has_forgotten();
        let (Some(id), false) = (id, is_incomplete) else { return };
        let (rule, expected) = match self.started.get(id) {
            Some(on) if on.contains(&place.event.connection) => return,
            Some(_) => (
                ELICITATION_COMPLETE_ONLY_TO_INITIATOR,
                "a notification to the client that was sent to the URL",
            ),
            None => (
                ELICITATION_COMPLETE_CARRIES_ID,
                "the `elicitationId` of an elicitation in URL mode",
            ),
        };
        let headline = "the server reports the end of an elicitation that it has not started here";
        let got = format!("the id {:?}", words::excerpt(id));
        self.find(place, Violation::new([rule], headline).expected(expected).got(got));
    }

    fn find(&mut self, place: Place<'_>, violation: Violation) {
        let Violation { rules, finding } = violation;
        self.findings.add_at((place.event, place.revision), finding, &rules);
    }
}

/// The rules that a request for what the client does not declare breaks.
const OF_UNDECLARED: [Cited; 3] =
    [MRTR_UNDECLARED_INPUT_KIND, BASE_CAPABILITY_UNDECLARED_NOT_USED, BASE_CAPABILITIES_RESPECTED];

/// A request for what the client does not support, which the client reports as well if it reads the request.
fn undeclared(violation: Violation, method: &str) -> Violation {
    let cause = Cause::RequirementFor(MRTR_UNDECLARED_INPUT_KIND.0, method.to_owned());
    Violation { finding: violation.finding.caused_by(cause), ..violation }
}

/// Everything wrong with an elicitation by form that has its shape.
fn form_violations(params: &Value, revision: Revision) -> Vec<Violation> {
    let mut found: Vec<Violation> = secrets::link(params).into_iter().collect();
    let Some(schema) = params.get("requestedSchema") else { return found };
    found.extend(form::root_violations(schema));
    let shape = Schemas::ours().definition("PrimitiveSchemaDefinition", revision, Authority::Text);
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flat_map(Object::effective) {
        found.extend(secrets::property_violation(name, property));
        // What does not have its shape is reported as that.
        if shape.as_ref().is_some_and(|shape| shape.is_valid(property)) {
            found.extend(form::property_violations(name, property, revision));
        }
    }
    found
}
