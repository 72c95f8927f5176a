//! The rules that relate what a server sends to what was declared, asked and sent before: capabilities, log levels, progress.
//!
//! Only what a trace shows for certain is reported. Over HTTP the messages of different streams have no order, so that there the
//! order of two messages counts only within one exchange. The rules for clients are not judged here.

use std::collections::HashMap;

use super::repeat_filter::RepeatFilter;
use super::walk::{EventJudge, TraceMessage};
use super::{Cause, Finding, Rule};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{Era, Method, Revision, Side, meta, method, requirement};
use crate::trace::{ConnectionId, Event, EventKind, Party, Position, Trace};
use crate::wire::{Message, Notification, Request};

/// The levels of log messages, the least severe first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What is known of the conversations while the trace is read.
pub(super) struct ConversationJudge<'a> {
    revisions: &'a dyn Fn(ConnectionId) -> Revision,
    /// Something was dropped from the trace, such as the request that a notification belongs to.
    elided: bool,
    conversations: HashMap<ConnectionId, Conversation<'a>>,
    findings: Vec<Finding>,
    repeats: RepeatFilter,
}

/// What one connection has agreed on so far.
#[derive(Default)]
struct Conversation<'a> {
    /// The capabilities of the client, from `initialize`.
    client: Option<&'a Value>,
    /// The capabilities of the server, from `initialize` or `server/discover`.
    server: Option<&'a Value>,
    /// The level that `logging/setLevel` has set, and the exchange that confirmed it.
    level: Option<(usize, Option<u64>)>,
    /// The levels that open requests have asked for themselves.
    levels_of_requests: HashMap<Position, usize>,
    /// The requests that asked for progress, the latest last.
    tracked: Vec<Tracked<'a>>,
    /// The levels that `logging/setLevel` asks for, by request.
    set_levels: HashMap<Position, usize>,
    /// The exchanges whose requests ask for log messages themselves, with the level.
    levels_of_exchanges: HashMap<u64, usize>,
}

/// A request that asked for progress.
struct Tracked<'a> {
    token: &'a Value,
    position: Position,
    /// The last progress that was reported.
    progress: Option<f64>,
    /// Its reply has come, in this exchange.
    replied: Option<Option<u64>>,
    /// Its progress goes on after the reply, which only says that a task was created.
    is_task: bool,
}

impl<'a> EventJudge<'a> for ConversationJudge<'a> {
    fn event(&mut self, event: &'a Event, messages: &[TraceMessage<'a>]) {
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        for message in messages {
            match (event.party, message.message) {
                (Party::Client, Message::Request(request)) => {
                    self.asked(event, message.position, request);
                }
                (Party::Server, Message::Request(request)) => {
                    self.declared(event, &request.method);
                }
                (Party::Server, Message::Notification(notification)) => {
                    self.declared(event, &notification.method);
                    match notification.method.as_str() {
                        "notifications/progress" => self.progress(event, notification),
                        "notifications/message" => self.log(event, notification),
                        _ => {}
                    }
                }
                (Party::Server, reply) => self.replied(event, message, reply),
                _ => {}
            }
        }
    }
}

impl<'a> ConversationJudge<'a> {
    pub(super) fn new(trace: &Trace, revisions: &'a dyn Fn(ConnectionId) -> Revision) -> Self {
        Self {
            revisions,
            elided: trace.is_elided(),
            conversations: HashMap::new(),
            findings: Vec::new(),
            repeats: RepeatFilter::default(),
        }
    }

    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        self.repeats.count(&mut self.findings, self.elided);
        self.findings
    }

    fn conversation(&mut self, event: &Event) -> &mut Conversation<'a> {
        self.conversations.entry(event.connection).or_default()
    }

    /// A request of the client.
    fn asked(&mut self, event: &Event, position: Position, request: &'a Request) {
        let params = request.params.as_ref();
        let of_meta = |name: &str| params.and_then(|params| params.get("_meta")?.get(name));
        let conversation = self.conversation(event);
        match request.method.as_str() {
            "initialize" => {
                *conversation = Conversation {
                    client: params.and_then(|params| params.get("capabilities")),
                    ..Conversation::default()
                };
            }
            "logging/setLevel" => {
                let level = params.and_then(|params| level(params.get("level")?));
                conversation.set_levels.extend(level.map(|level| (position, level)));
            }
            _ => {}
        }
        if let Some(level) = of_meta(meta::LOG_LEVEL).and_then(level) {
            conversation.levels_of_requests.insert(position, level);
            conversation.levels_of_exchanges.extend(event.exchange.map(|it| (it, level)));
        }
        if let Some(token) = of_meta(meta::PROGRESS_TOKEN) {
            let is_task = params.is_some_and(|params| params.get("task").is_some());
            let tracked = Tracked { token, position, progress: None, replied: None, is_task };
            conversation.tracked.push(tracked);
        }
    }

    /// A reply of the server.
    fn replied(&mut self, event: &Event, message: &TraceMessage<'a>, reply: &'a Message) {
        let Some(request) = message.request() else { return };
        let (method, position) = (request.method, request.position);
        let conversation = self.conversation(event);
        if let Some(tracked) = conversation.tracked.iter_mut().find(|it| it.position == position) {
            tracked.replied.get_or_insert(event.exchange);
        }
        conversation.levels_of_requests.remove(&position);
        let Message::Response(response) = reply else { return };
        match method {
            "initialize" | "server/discover" => {
                conversation.server = response.result.get("capabilities");
            }
            "logging/setLevel" => {
                let level = conversation.set_levels.remove(&position);
                conversation.level =
                    level.map(|level| (level, event.exchange)).or(conversation.level);
            }
            _ => {}
        }
    }

    /// A request or notification of the server needs a capability of the server, or of the client.
    fn declared(&mut self, event: &Event, name: &str) {
        let revision = (self.revisions)(event.connection);
        let Some(known) = method(name).filter(|known| known.sent_by(Side::Server, revision)) else {
            return;
        };
        let Some(capability) = known.capability(revision) else { return };
        let is_own = capability.sides().contains(Side::Server);
        let conversation = self.conversation(event);
        let declared = if is_own { conversation.server } else { conversation.client };
        // What a client declares is in each request from 2026-07-28 on, when servers no longer send any.
        if declared.is_none_or(|declared| capability.declared_in(declared)) {
            return;
        }
        let side = if is_own { Side::Server } else { Side::Client };
        let finding =
            Finding::peer(format!("the server sent `{name}` without the capability for it"))
                .expected(format!(
                    "nothing that needs `{capability}`, which the {side} does not declare"
                ))
                .got(format!("`{name}`"));
        let rule = rule_of_capability(known, revision);
        // The strictest one first.
        let finding = match known.name {
            "elicitation/create" => finding.requires(Rule::ELICITATION_DECLARED.id()),
            "roots/list" => finding.requires(rule.id()).requires(Rule::ROOTS_DECLARED.id()),
            "sampling/createMessage" => finding.requires(Rule::SAMPLING_DECLARED.id()),
            _ => finding,
        };
        self.find(event, finding, rule);
    }

    fn progress(&mut self, event: &Event, notification: &'a Notification) {
        let params = notification.params.as_ref();
        let Some(token) = params.and_then(|params| params.get("progressToken")) else { return };
        let progress = params.and_then(|params| params.get("progress")?.as_f64());
        let elided = self.elided;
        let conversation = self.conversation(event);
        let tracked = conversation.tracked.iter_mut().rev().find(|it| it.token == token);
        let Some(tracked) = tracked else {
            if !elided {
                let finding = Finding::peer("progress with a token that no request has")
                    .expected("the `progressToken` of a request")
                    .got(words::excerpt(&token.to_string()).into_owned());
                self.find(event, finding, Rule::PROGRESS_TOKEN_KNOWN);
            }
            return;
        };
        let before = tracked.progress;
        let is_over = !tracked.is_task && tracked.replied == Some(event.exchange);
        tracked.progress = progress.or(before);
        if is_over {
            let finding = Finding::peer("progress of a request that is complete")
                .expected("no `notifications/progress` after the reply")
                .got(format!("progress for the token {}", words::excerpt(&token.to_string())));
            self.find(event, finding, Rule::PROGRESS_STOPS);
        } else if let (Some(before), Some(now)) = (before, progress)
            && now <= before
        {
            let finding = Finding::peer("progress that does not increase")
                .expected(format!("more than {before}"))
                .got(now.to_string());
            self.find(event, finding, Rule::PROGRESS_INCREASES);
        }
    }

    fn log(&mut self, event: &Event, notification: &Notification) {
        let named = notification.params.as_ref().and_then(|params| params.get("level"));
        let revision = (self.revisions)(event.connection);
        let elided = self.elided;
        let conversation = self.conversation(event);
        let (least, rule) = if revision.era() == Era::Stateless {
            // Over HTTP the exchange says which request a message belongs to; on a line transport it may be any open one.
            let asked = match event.exchange {
                Some(exchange) => conversation.levels_of_exchanges.get(&exchange).copied(),
                None => conversation.levels_of_requests.values().min().copied(),
            };
            let Some(asked) = asked else {
                if !elided {
                    let finding = Finding::peer("a log message that no open request asked for")
                        .expected("log messages only for requests with a log level in `_meta`")
                        .got("one while no such request was open");
                    self.find(event, finding, Rule::LOG_SILENT_WITHOUT_LEVEL);
                }
                return;
            };
            (asked, Rule::LOG_THRESHOLD_OF_REQUEST)
        } else {
            // Of another stream it is not known whether the message was sent before the level was set.
            match conversation.level {
                Some((set, exchange)) if exchange == event.exchange => (set, Rule::LOG_THRESHOLD),
                _ => return,
            }
        };
        if let Some(sent) = named.and_then(level).filter(|sent| *sent < least) {
            let finding = Finding::peer("a log message below the level that was asked for")
                .expected(format!("level `{}` or above", LEVELS[least]))
                .got(format!("level `{}`", LEVELS[sent]));
            self.find(event, finding, rule);
        }
    }

    /// Adds a finding that breaks `rule`, if that holds at the revision.
    fn find(&mut self, event: &Event, mut finding: Finding, rule: Rule) {
        let revision = (self.revisions)(event.connection);
        if !requirement::find(rule.id()).is_some_and(|found| found.revisions.contains(revision)) {
            return;
        }
        finding.cause.get_or_insert_with(|| Box::new(Cause::of_rule(rule.id())));
        let is_must = |id: &str| requirement::find(id).is_some_and(|it| it.level.is_must());
        // Another requirement for the same message may be stricter.
        if rule == Rule::CAPABILITIES_RESPECTED_SHOULD
            && !finding.requirements.iter().any(|id| is_must(id))
        {
            finding = finding.should();
        }
        finding = finding.requires(rule.id());
        if self.repeats.admits(&finding, self.findings.len()) {
            self.findings.push(finding.evidence(event.seq));
        }
    }
}

/// The severity of a level, by its name.
fn level(name: &Value) -> Option<usize> {
    LEVELS.iter().position(|level| name.as_str() == Some(level))
}

/// The rule that a message without its capability breaks.
fn rule_of_capability(known: &Method, revision: Revision) -> Rule {
    match known.name {
        "notifications/tools/list_changed" => Rule::TOOLS_LIST_CHANGED_DECLARED,
        "notifications/prompts/list_changed" => Rule::PROMPTS_LIST_CHANGED_DECLARED,
        "notifications/resources/list_changed" => Rule::RESOURCES_LIST_CHANGED_DECLARED,
        "notifications/resources/updated" => Rule::RESOURCES_SUBSCRIBE_DECLARED,
        "notifications/message" => Rule::LOGGING_DECLARED,
        _ if revision < Revision::V2025_06_18 => Rule::CAPABILITIES_RESPECTED_SHOULD,
        _ => Rule::CAPABILITIES_RESPECTED,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::check::walk::walk;
    use crate::trace::{ParsedText, Recorder};

    /// The requirements that a conversation breaks: `>` is the client, `<` the server; a number before it is an HTTP exchange.
    fn broken(revision: Revision, lines: &[&str]) -> String {
        let recorder = Recorder::new();
        let connection = recorder.open("duplex");
        for line in lines {
            let (exchange, line) = match line.split_at(1) {
                (number, line) if line.starts_with(['<', '>']) => (number.parse().ok(), line),
                _ => (None, *line),
            };
            let (party, text) = match line.split_at(1) {
                (">", text) => (Party::Client, text),
                (_, text) => (Party::Server, text),
            };
            let text = Bytes::from(format!("{{\"jsonrpc\":\"2.0\",{}}}", text.trim()));
            let parsed = ParsedText::parse(&text);
            let message = EventKind::Message { text, parsed };
            recorder.record_in(connection, exchange, party, message);
        }
        let (trace, revisions) = (recorder.trace(), |_| revision);
        let mut judge = ConversationJudge::new(&trace, &revisions);
        walk(&trace, &mut [&mut judge]);
        let line =
            |finding: &Finding| format!("{} {:?}\n", finding.requirements.join(" "), finding.got);
        judge.into_findings().iter().map(line).collect()
    }

    const HANDSHAKE: [&str; 2] = [
        r#"> "id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}"#,
        r#"< "id":0,"result":{"capabilities":{"tools":{},"logging":{}}}"#,
    ];

    fn after_the_handshake(revision: Revision, lines: &[&str]) -> String {
        broken(revision, &[&HANDSHAKE, lines].concat())
    }

    #[test]
    fn what_is_sent_needs_its_capability() {
        let lines = [
            r#"< "method":"notifications/tools/list_changed""#,
            r#"< "method":"notifications/prompts/list_changed""#,
            r#"< "method":"notifications/resources/list_changed""#,
            r#"< "method":"notifications/resources/updated","params":{"uri":"a:b"}"#,
            r#"< "method":"notifications/message","params":{"level":"info","data":1}"#,
            r#"< "id":"s1","method":"roots/list""#,
            r#"< "id":"s2","method":"sampling/createMessage""#,
            r#"< "id":"s3","method":"ping""#,
            r#"< "id":"s4","method":"example.com/other""#,
        ];
        insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"
        tools.list-changed.requires-capability Some("`notifications/tools/list_changed`")
        prompts.list-changed.requires-capability Some("`notifications/prompts/list_changed`")
        resources.list-changed.requires-capability Some("`notifications/resources/list_changed`")
        resources.updated.requires-subscribe-capability Some("`notifications/resources/updated`")
        sampling.request.requires-capability lifecycle.capabilities-respected Some("`sampling/createMessage`")
        "#);
        insta::assert_snapshot!(after_the_handshake(Revision::V2025_03_26, &lines[6..]), @r#"sampling.request.requires-capability lifecycle.capabilities-respected-should Some("`sampling/createMessage`")"#);
        // Nobody knows what was declared.
        assert_eq!(broken(Revision::V2025_11_25, &lines), "");
    }

    #[test]
    fn log_messages_are_not_below_the_level_that_was_set() {
        let debug = r#"< "method":"notifications/message","params":{"level":"debug","data":1}"#;
        let error = r#"< "method":"notifications/message","params":{"level":"error","data":1}"#;
        let set = r#"> "id":1,"method":"logging/setLevel","params":{"level":"error"}"#;
        let lines = [debug, set, debug, r#"< "id":1,"result":{}"#, error, debug];
        insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"logging.set-level.threshold Some("level `debug`")"#);
        let refused = [set, r#"< "id":1,"error":{"code":-32603,"message":"no"}"#, debug];
        assert_eq!(after_the_handshake(Revision::V2025_11_25, &refused), "");
        // On another stream it may have been sent before.
        let elsewhere = [&format!("1{set}"), r#"1< "id":1,"result":{}"#, &format!("2{debug}")];
        assert_eq!(after_the_handshake(Revision::V2025_11_25, &elsewhere), "");
    }

    #[test]
    fn from_2026_07_28_on_log_messages_are_asked_for() {
        let call = |id: u8, meta: &str| {
            format!(
                r#"> "id":{id},"method":"tools/call","params":{{"name":"a","_meta":{{{meta}}}}}"#
            )
        };
        let asking = call(2, r#""io.modelcontextprotocol/logLevel":"warning""#);
        let log = |level: &str| {
            format!(r#"< "method":"notifications/message","params":{{"level":"{level}","data":1}}"#)
        };
        let (warning, info) = (log("warning"), log("info"));
        let silent = call(1, "");
        let lines = [&silent, &info, &asking, &warning, &info].map(String::as_str);
        insta::assert_snapshot!(broken(Revision::V2026_07_28, &lines), @r#"
        logging.per-request.silent-without-level Some("one while no such request was open")
        logging.per-request.threshold Some("level `info`")
        "#);
        let exchanges = [("1", &silent), ("2", &asking), ("2", &warning), ("1", &warning)];
        let exchanges = exchanges.map(|(exchange, line)| format!("{exchange}{line}"));
        let exchanges = exchanges.each_ref().map(String::as_str);
        insta::assert_snapshot!(broken(Revision::V2026_07_28, &exchanges), @r#"logging.per-request.silent-without-level Some("one while no such request was open")"#);
    }

    #[test]
    fn progress_has_a_known_token_increases_and_ends_with_the_reply() {
        let call =
            r#"> "id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}"#;
        let task = r#"> "id":1,"method":"tools/call","params":{"name":"a","task":{},"_meta":{"progressToken":"p"}}"#;
        let progress = |token: &str, progress: u8| {
            format!(
                r#"< "method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}"#
            )
        };
        let (one, two, other) = (progress("\"p\"", 1), progress("\"p\"", 2), progress("7", 1));
        let reply = r#"< "id":1,"result":{}"#;
        let lines = [call, &one, &two, &two, &other, reply, &progress("\"p\"", 9)];
        insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"
        progress.increases Some("2")
        progress.token-known Some("7")
        progress.stops-after-completion Some("progress for the token \"p\"")
        "#);
        assert_eq!(broken(Revision::V2025_11_25, &[task, &one, reply, &two]), "");
        // The same token again is that of the new request.
        let again = [call, &two, reply, &call.replace("1,", "2,"), &one];
        assert_eq!(broken(Revision::V2025_11_25, &again), "");
        let other_stream = [&format!("1{call}"), &format!("1{reply}"), &format!("2{one}")];
        assert_eq!(broken(Revision::V2025_11_25, &other_stream.map(String::as_str)), "");
    }
}
