//! What is wrong with how a client under test took part in a conversation, and with how it ended.

use std::time::Duration;

use crate::check::Finding;
use crate::clock;
use crate::expect::words;
use crate::process::Exit;
use crate::spec::Requirement;
use crate::trace::{Event, EventKind, Party, Seq, Trace};
use crate::transport::client_target::SCENARIO;
use crate::transport::{ClientEnd, ClientRun, TransportKind, redact_urls};
use crate::wire::Message;

/// The exit codes of a shell that cannot start a program: not executable, and not found (POSIX).
const NOT_STARTED: [i32; 2] = [126, 127];

/// A run of a client that has ended, with what was exchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientEnding<'a> {
    /// How it ended.
    pub(crate) run: &'a ClientRun,
    /// The conversation.
    pub(crate) trace: &'a Trace,
    /// How long it was allowed to take.
    pub(crate) timeout: Duration,
    /// The id of the scenario.
    pub(crate) scenario: &'a str,
    /// The transport by which it reached the server.
    pub(crate) transport: TransportKind,
}

impl ClientEnding<'_> {
    /// That the client could not be started, if so; `label` names it.
    pub(crate) fn not_started(&self, label: &str) -> Option<Finding> {
        let Self { run, trace, .. } = self;
        let last = run.stderr.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
        let why = match (&run.end, run.exit) {
            (ClientEnd::NotStarted(why), _) => why.clone(),
            (_, Some(Exit::Code(code)))
                // A client that has sent something may use these codes for reasons of its own.
                if NOT_STARTED.contains(&code) && !trace.has_message_from(Party::Client) =>
            {
                format!("exit code {code} of the shell{last}")
            }
            _ => return None,
        };
        let finding = Finding::environment("the client could not be started")
            .expected(format!("a command that starts the client: `{label}`"))
            .got(why)
            .hint(how_it_is_started(self.transport));
        Some(finding)
    }

    /// That the client sent no message, if so.
    pub(crate) fn absence(&self) -> Option<Finding> {
        if self.trace.has_message_from(Party::Client) {
            return None;
        }
        let headline = if self.has_connected() {
            "the client connected, but sent no message"
        } else {
            "the client never connected"
        };
        let finding = Finding::peer(headline)
            .expected(format!("at least one JSON-RPC message {}", where_to(self.transport)))
            .got(self.how_it_exited())
            .hint(self.where_to_look())
            .requires(Requirement::MCP_TEST_CLIENT_TAKES_PART);
        Some(finding)
    }

    /// Whether the client reached the server, whatever it sent.
    fn has_connected(&self) -> bool {
        // Over HTTP the server opens the connection of the trace when it begins to listen.
        let is_opened = |event: &Event| matches!(event.kind, EventKind::Opened { .. });
        has_sent(self.trace, |_| true)
            || (!self.transport.is_http() && self.trace.events.iter().any(is_opened))
    }

    /// That the client did not exit on its own and without an error, if so.
    pub(crate) fn bad_exit(&self) -> Option<Finding> {
        let (headline, expected) = match self.run.end {
            ClientEnd::Succeeded | ClientEnd::Unobserved => return None,
            ClientEnd::TimedOut => (
                "the client did not exit in time, and was ended",
                format!("its exit within {}", clock::format_duration(self.timeout)),
            ),
            ClientEnd::Failed(_) | ClientEnd::NotStarted(_) => {
                let expected = match self.run.command {
                    Some(_) => "exit code 0",
                    None => "an end without an error",
                };
                ("the client exited with an error", expected.to_owned())
            }
        };
        let (last, evidence) = last_messages(self.trace);
        let finding = Finding::peer(headline)
            .expected(expected)
            .got(format!("{}{last}", self.how_it_exited()))
            .requires(Requirement::MCP_TEST_CLIENT_EXITS_WELL)
            .evidence_all(evidence);
        Some(finding)
    }

    /// The processes that the client left behind, if any.
    pub(crate) fn left_behind(&self) -> Option<Finding> {
        let leftovers = &self.run.leftovers;
        let first = leftovers.first()?;
        let command = redact_urls(&first.command);
        let mut got = format!("process {}, `{}`", first.pid, words::excerpt(&command));
        if let others @ 1.. = leftovers.len() - 1 {
            got.push_str(&format!(", and {others} more"));
        }
        let finding = Finding::peer("the client left a process behind that it had started")
            .expected("a client that ends what it has started before it exits")
            .got(got)
            .hint("it holds what it has inherited, such as pipes; mcp-test has killed it");
        Some(finding.requires(Requirement::MCP_TEST_CLIENT_LEAVES_NO_PROCESS))
    }

    /// Whether the client exited on its own with an error: a shell reports a signal as a code above 128 (POSIX).
    pub(crate) fn has_reported_an_error(&self) -> bool {
        let was_killed = matches!(self.run.exit, Some(Exit::Signal(_) | Exit::Code(129..)));
        matches!(self.run.end, ClientEnd::Failed(_)) && !was_killed
    }

    /// Whether the client may have given up: it exited with an error, or was ended while it waited. A crash is something else.
    pub(crate) fn may_have_given_up(&self) -> bool {
        self.run.end == ClientEnd::TimedOut || self.has_reported_an_error()
    }

    /// How the client ended, to be read after "got".
    pub(crate) fn how_it_exited(&self) -> String {
        match &self.run.end {
            ClientEnd::NotStarted(why) => why.clone(),
            ClientEnd::Unobserved => "nothing until the wait for a client was ended".to_owned(),
            _ => format!("a client that {}", self.how_it_ended()),
        }
    }

    /// How a client ended that was started and watched, to be read after "the client".
    pub(crate) fn how_it_ended(&self) -> String {
        match &self.run.end {
            ClientEnd::Succeeded => "exited on its own without an error".to_owned(),
            ClientEnd::Failed(how) if self.run.command.is_some() => format!("exited with {how}"),
            ClientEnd::Failed(error) => format!("failed: {error}"),
            ClientEnd::TimedOut => {
                format!("was still running after {}", clock::format_duration(self.timeout))
            }
            ClientEnd::NotStarted(_) => "was not started".to_owned(),
            ClientEnd::Unobserved => "was not observed".to_owned(),
        }
    }

    /// Where a client finds the server and the scenario.
    fn where_to_look(&self) -> String {
        let scenario = self.scenario;
        let server = match (&self.run.command, &self.run.end) {
            (Some(_), _) if self.transport == TransportKind::Stdio => {
                "the command that starts the server is in the place of `{server}`, or else the last arguments"
            }
            (Some(_), _) => "the URL is the last argument of the command",
            (None, ClientEnd::Unobserved) => "start the client with the URL that was printed",
            (None, _) => {
                let server = if self.transport.is_http() { "URL" } else { "server" };
                return format!("{server} and scenario `{scenario}` are members of its `Endpoint`");
            }
        };
        format!("{server}; the scenario `{scenario}` is in ${SCENARIO}")
    }
}

/// What the command is, for a client that could not be started.
const fn how_it_is_started(transport: TransportKind) -> &'static str {
    match transport {
        TransportKind::Stdio => {
            "a shell runs the command, with the command that starts the server in the place of `{server}`, or else at its end"
        }
        _ => "a shell runs the command, with the URL of the server as last argument",
    }
}

/// Where a client sends its messages, as the end of a sentence.
const fn where_to(transport: TransportKind) -> &'static str {
    match transport {
        TransportKind::Stdio => "on the standard input of the server that it starts",
        TransportKind::Duplex => "on a pipe that `Endpoint::duplex` opens",
        _ => "in a POST to the URL of the server",
    }
}

/// Whether the client sent an HTTP request with such a method.
pub(crate) fn has_sent(trace: &Trace, is_meant: impl Fn(&str) -> bool) -> bool {
    let mut of_client = trace.events.iter().filter(|event| event.party == Party::Client);
    of_client.any(
        |event| matches!(&event.kind, EventKind::HttpRequest { method, .. } if is_meant(method)),
    )
}

/// The last messages, as the end of a sentence, and their events.
fn last_messages(trace: &Trace) -> (String, Vec<Seq>) {
    let of = |party| trace.messages().filter(|(event, _)| event.party == party).last();
    let word = |message: &Message| match message {
        Message::Request(request) => format!("`{}`", request.method),
        Message::Notification(notification) => format!("`{}`", notification.method),
        Message::Response(_) => "a result".to_owned(),
        Message::Error(reply) => format!("the error {}", reply.error.code),
    };
    let Some((sent, message)) = of(Party::Client) else {
        return (String::new(), Vec::new());
    };
    let mut text = format!("; the last message that it sent was {}", word(message));
    let mut evidence = vec![sent.seq];
    // An earlier answer does not explain what the client did last.
    if let Some((answer, message)) = of(Party::Server).filter(|(event, _)| event.seq > sent.seq) {
        text.push_str(&format!(", and the last that it received was {}", word(message)));
        evidence.push(answer.seq);
    }
    (text, evidence)
}
