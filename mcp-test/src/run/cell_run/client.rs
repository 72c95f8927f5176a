//! Running a cell that tests a client: the scenario serves it, and judges it after it has exited.

use std::sync::Arc;

use super::unmade::{demand_declared, fail_unmade};
use super::{CellRun, ENDING, Recorded};
use crate::check::{self, Check, Demand, Finding, Origin, Rule, Status};
use crate::clock::{self, Deadline};
use crate::expect::words;
use crate::json::Value;
use crate::process::Exit;
use crate::run::Outcome;
use crate::scenario::{
    ClientSession, ClientTest, Inventory, Judge, Judging, LEFT_WELL, Need, Profile, Serve,
    TOOK_PART,
};
use crate::server::Server;
use crate::spec::{Era, Revision};
use crate::trace::{EventKind, Party, Recorder, Seq, Trace};
use crate::transport::client_target::SCENARIO;
use crate::transport::{ClientEnd, ClientRun, ClientTarget, redact_urls};
use crate::wire::Message;

/// The exit codes of a shell that cannot start a program: not executable, and not found (POSIX).
const NOT_STARTED: [i32; 2] = [126, 127];

impl CellRun<'_> {
    /// Runs the client against the server of the scenario, and judges what it sent.
    pub(super) async fn test_client(
        self,
        client: &ClientTarget,
        serve: &Serve,
        judge: &Judge,
    ) -> Outcome {
        let declared = self.cell.scenario.declared();
        let authority = self.profile.authority(Some(&declared));
        let test = ClientTest::new(declared, self.cell.revision, self.profile);
        let recorder = Recorder::new();
        let server = serve(&test).limits(self.plan.limits).record(recorder.clone());
        let client_run = match self.run_client(client, &server, &test).await {
            Ok(client_run) => client_run,
            Err(finding) => return self.not_run(&finding),
        };
        let trace = Arc::new(recorder.trace());
        if let Some(why) = not_started(&client_run, &trace) {
            let finding = Finding::environment("the client could not be started")
                .expected(format!("a command that starts the client: `{}`", client.label()))
                .got(why)
                .hint("a shell runs --command, with the URL of the server as last argument");
            return self.not_run(&finding);
        }
        let judging = Judging::new(test, Arc::clone(&trace));
        // The rules are those of the spoken revision, which may not be the one that the client was asked to use.
        let spoken = judging.spoken();
        let revision = spoken.unwrap_or(self.cell.revision);
        let (mut checks, may_give_up) = match self.refused(revision, &judging) {
            Some(reason) => (self.not_testable(&reason), GivesUp::Refused),
            None => self.judged(judging, judge),
        };
        checks.push(self.took_part(&trace, &client_run, may_give_up));
        checks.push(self.left_well(&trace, &client_run, may_give_up));
        let schemas = &self.plan.schemas;
        let left = self.left().saturating_sub(self.stopwatch.elapsed());
        let ends = Deadline::after(left.saturating_add(ENDING));
        let judgement =
            check::judge_trace(&trace, Party::Client, &|_| revision, (schemas, authority), ends);
        let trace = Arc::unwrap_or_clone(trace);
        let client_run = Some(client_run);
        let outcome = self.conclude(Recorded { checks, trace, judgement, client_run });
        Outcome { spoken, ..outcome }
    }

    /// The checks of the scenario, and whether the client may have given up.
    fn judged(&self, mut judging: Judging, judge: &Judge) -> (Vec<Check>, GivesUp) {
        let ending = judge(&mut judging);
        let gives_up = if judging.gave_up() { GivesUp::NotRecommended } else { GivesUp::No };
        let mut checks = judging.into_checks();
        match ending {
            // The id of the scenario is all that tells a client what to do, and most clients do not read it.
            Err(finding) if finding.demand == Demand::Task && self.profile == Profile::Adaptive => {
                return (self.not_testable(&task_not_done(&finding)), gives_up);
            }
            Err(finding) => fail_unmade(&self.cell, &mut checks, &finding),
            Ok(()) => demand_declared(&self.cell, &mut checks),
        }
        (checks, gives_up)
    }

    /// Why the conversation is no test of what the scenario is about; officially it is one nevertheless.
    fn refused(&self, spoken: Revision, judging: &Judging) -> Option<String> {
        if self.profile == Profile::Official {
            return None;
        }
        let sessions = judging.sessions();
        // Unless it is what the scenario asks for.
        let is_abandoned = !self.cell.scenario.client_may_fail
            && !sessions.is_empty()
            && sessions.iter().all(ClientSession::is_abandoned);
        not_spoken(spoken, self.cell.revision)
            .or_else(|| {
                let asked = self.cell.revision;
                is_abandoned.then(|| format!("the client disconnected: it does not speak {asked}"))
            })
            .or_else(|| self.tried_only_sse(&judging.trace()))
            .or_else(|| self.undeclared(&judging.declared_capabilities()))
    }

    /// That the client speaks HTTP+SSE, which begins with a GET, and that the server does not.
    fn tried_only_sse(&self, trace: &Trace) -> Option<String> {
        let revision = self.cell.revision;
        let tried = revision.era() == Era::Stateless
            && !trace.has_message_from(Party::Client)
            && has_sent(trace, |method| method == "GET");
        tried.then(|| format!("the client tried only HTTP+SSE; it did not speak {revision}"))
    }

    /// The capability that the scenario needs and the client never declared: the server did not use it either.
    fn undeclared(&self, declared: &[Value]) -> Option<String> {
        let lacks = |need: &Need, capabilities: &Value| {
            let capabilities = Some(capabilities.clone());
            let inventory = Inventory::declaring(capabilities);
            need.unmet(&inventory, &self.plan.fixtures, self.cell.revision)
        };
        self.cell.scenario.needs.iter().find_map(|need| {
            // A client may declare it in one of several sessions.
            let unmet: Option<Vec<String>> = declared.iter().map(|one| lacks(need, one)).collect();
            unmet?.pop()
        })
    }

    #[cfg(feature = "http")]
    async fn run_client(
        &self,
        client: &ClientTarget,
        server: &Server,
        test: &ClientTest,
    ) -> Result<ClientRun, Finding> {
        use crate::transport::Endpoint;

        // Port 0 is any free one, so that several clients can be tested at the same time.
        let listening = server.listen(("127.0.0.1", 0)).await.map_err(|error| {
            Finding::environment("cannot open a port for the client").got(error.to_string())
        })?;
        test.listens_at(listening.url());
        let endpoint = Endpoint::new(listening.url(), self.id(), self.cell.revision)
            .context(self.cell.scenario.client_context());
        let client_run = client.run(endpoint, self.timeout()).await;
        // Closes the streams that the client has left open, so that the trace is complete.
        listening.end().await;
        Ok(client_run)
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    async fn run_client(
        &self,
        _: &ClientTarget,
        _: &Server,
        _: &ClientTest,
    ) -> Result<ClientRun, Finding> {
        Err(Finding::environment("clients are tested with the feature `http` of mcp-test"))
    }

    /// The outcome if the client could not be run, for which it is not to blame.
    fn not_run(self, finding: &Finding) -> Outcome {
        let mut checks = Vec::new();
        fail_unmade(&self.cell, &mut checks, finding);
        self.outcome(checks, Trace::default())
    }

    /// The check that the client sent something: without it, the others would pass or fail for no reason.
    fn took_part(&self, trace: &Trace, client_run: &ClientRun, gives_up: GivesUp) -> Check {
        let row = if trace.has_message_from(Party::Client) {
            Check::new(TOOK_PART, Origin::Own, Status::Success)
        } else if gives_up == GivesUp::Refused {
            let refused = Some("the server has no transport that the client speaks".to_owned());
            Check { message: refused, ..Check::new(TOOK_PART, Origin::Own, Status::Skipped) }
        } else {
            let headline = if has_sent(trace, |_| true) {
                "the client connected, but sent no message"
            } else {
                "the client never connected"
            };
            let finding = Finding::peer(headline)
                .expected("at least one JSON-RPC message in a POST to the URL of the server")
                .got(how_it_exited(client_run, self))
                .hint(where_to_look(client_run, self.id()))
                .requires(Rule::CLIENT_TAKES_PART.id());
            // Counts also in profile `official`, where the other checks of an absent client may pass.
            Check { binding: true, ..Check::from_finding(TOOK_PART, Origin::Own, finding) }
        };
        row.described("ClientTookPart", "The client connects, and sends a message")
    }

    /// The check that the client exited on its own and without an error.
    ///
    /// In the official suite that counts for a scenario that is run by name, and is ignored in a suite.
    fn left_well(&self, trace: &Trace, client_run: &ClientRun, gives_up: GivesUp) -> Check {
        let skipped = |why: &str| Check {
            message: Some(why.to_owned()),
            ..Check::new(LEFT_WELL, Origin::Own, Status::Skipped)
        };
        let row = if client_run.end == ClientEnd::Succeeded {
            match left_behind(client_run) {
                None => Check::new(LEFT_WELL, Origin::Own, Status::Success),
                Some(finding) => Check::from_finding(LEFT_WELL, Origin::Own, finding),
            }
        } else if client_run.end == ClientEnd::Unobserved {
            skipped("the client was started by hand, so its exit cannot be observed")
        } else if self.cell.scenario.client_may_fail && has_reported_an_error(client_run) {
            skipped("the client may fail in this scenario: it has to refuse what it is served")
        } else if gives_up == GivesUp::Refused && has_reported_an_error(client_run) {
            skipped("the client may fail: it was offered nothing that it speaks")
        } else if gives_up == GivesUp::NotRecommended && self.profile == Profile::Adaptive {
            skipped("the client gave up, where the specification only recommends to go on")
        } else {
            let (headline, expected) = match client_run.end {
                ClientEnd::TimedOut => (
                    "the client did not exit in time, and was ended",
                    format!("its exit within {}", clock::format_duration(self.timeout())),
                ),
                _ => ("the client exited with an error", "exit code 0".to_owned()),
            };
            let (last, evidence) = last_messages(trace);
            let finding = Finding::peer(headline)
                .expected(expected)
                .got(format!("{}{last}", how_it_exited(client_run, self)))
                .requires(Rule::CLIENT_EXITS_WELL.id())
                .evidence_all(evidence);
            let finding = match gives_up {
                GivesUp::NotRecommended => finding.should(),
                GivesUp::No | GivesUp::Refused => finding,
            };
            let check = Check::from_finding(LEFT_WELL, Origin::Own, finding);
            // Officially an allowed error is one however the client ends; a crash is still shown.
            let is_allowed = self.cell.scenario.client_may_fail
                && matches!(client_run.end, ClientEnd::Failed(_));
            Check { binding: self.plan.single && !is_allowed, ..check }
        };
        row.described("ClientLeftWell", "The client exits on its own, and without an error")
    }
}

/// Whether a client may end with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GivesUp {
    /// It may not.
    No,
    /// The specification only recommends what it should have done instead.
    NotRecommended,
    /// The server refused what the client speaks.
    Refused,
}

/// The processes that the client left behind, if any.
fn left_behind(client_run: &ClientRun) -> Option<Finding> {
    let first = client_run.leftovers.first()?;
    let command = redact_urls(&first.command);
    let mut got = format!("process {}, `{}`", first.pid, words::excerpt(&command));
    if let others @ 1.. = client_run.leftovers.len() - 1 {
        got.push_str(&format!(", and {others} more"));
    }
    let finding = Finding::peer("the client left a process behind that it had started")
        .expected("a client that ends what it has started before it exits")
        .got(got)
        .hint("it holds what it has inherited, such as pipes; mcp-test has killed it");
    Some(finding.requires(Rule::CLIENT_LEAVES_NO_PROCESS.id()))
}

/// Whether the client sent an HTTP request with such a method.
fn has_sent(trace: &Trace, is_meant: impl Fn(&str) -> bool) -> bool {
    let mut of_client = trace.events.iter().filter(|event| event.party == Party::Client);
    of_client.any(
        |event| matches!(&event.kind, EventKind::HttpRequest { method, .. } if is_meant(method)),
    )
}

/// Whether the client exited on its own: a shell reports a signal as a code above 128 (POSIX).
fn has_reported_an_error(client_run: &ClientRun) -> bool {
    let was_killed = matches!(client_run.exit, Some(Exit::Signal(_) | Exit::Code(129..)));
    matches!(client_run.end, ClientEnd::Failed(_)) && !was_killed
}

/// Why a client that did something else was not tested.
fn task_not_done(finding: &Finding) -> String {
    format!("{}; the id of the scenario, in ${SCENARIO}, asks for it", finding.headline)
}

/// Why a conversation at one revision is no test of another.
fn not_spoken(spoken: Revision, asked: Revision) -> Option<String> {
    if spoken < asked {
        // What it did right at an older revision says nothing about this one.
        Some(format!("the client speaks up to {spoken}; it did not speak {asked}"))
    } else if spoken.era() != asked.era() {
        Some(format!("the client tried only {spoken}; it did not speak {asked}"))
    } else {
        None
    }
}

/// Why the client could not be started, if so.
fn not_started(client_run: &ClientRun, trace: &Trace) -> Option<String> {
    let last = client_run.stderr.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
    match (&client_run.end, client_run.exit) {
        (ClientEnd::NotStarted(why), _) => Some(why.clone()),
        (_, Some(Exit::Code(code)))
            // A client that has sent something may use these codes for reasons of its own.
            if NOT_STARTED.contains(&code) && !trace.has_message_from(Party::Client) =>
        {
            Some(format!("exit code {code} of the shell{last}"))
        }
        _ => None,
    }
}

fn how_it_exited(client_run: &ClientRun, run: &CellRun<'_>) -> String {
    match &client_run.end {
        ClientEnd::Succeeded => "a client that exited on its own without an error".to_owned(),
        ClientEnd::Failed(how) => format!("a client that exited with {how}"),
        ClientEnd::NotStarted(why) => why.clone(),
        ClientEnd::Unobserved => "nothing until the wait for a client was ended".to_owned(),
        ClientEnd::TimedOut => {
            format!(
                "a client that was still running after {}",
                clock::format_duration(run.timeout())
            )
        }
    }
}

/// Where a client finds the URL and the scenario.
fn where_to_look(client_run: &ClientRun, scenario: &str) -> String {
    let url = match (&client_run.command, &client_run.end) {
        (Some(_), _) => "the URL is the last argument of the command",
        (None, ClientEnd::Unobserved) => "start the client with the URL that was printed",
        (None, _) => return format!("URL and scenario `{scenario}` are members of its `Endpoint`"),
    };
    format!("{url}; the scenario `{scenario}` is in ${SCENARIO}")
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
