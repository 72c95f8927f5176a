//! The context of a test of a client: a scripted server, the client that runs against it, and what the client has sent.

use std::time::Duration;

use super::client_ending::ClientEnding;
use super::client_session::ClientSessions;
use super::serve_client::serve_client;
use super::setup_function::Setups;
use super::{Golden, GoldenOptions, RunOfTest, Skip};
use crate::assert::{
    ExaminedRequests, FailedClient, ReceivedMessages, fail_with, outside_of_the_test,
};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::expect::words;
use crate::json::Value;
use crate::server::{ClientMessage, Condition, GivenRule, Rule, RuleHandle, Server};
use crate::spec::{Revision, Revisions};
use crate::trace::{Correlator, Recorder, Seq, Trace};
use crate::transport::{ClientEnd, ClientRun, ClientTarget, Endpoint, Limits, TransportKind};

/// What to do about a test that needs more time.
#[doc(hidden)]
pub const MORE_TIME: &str =
    "`#[mcp_scenario(timeout = \"…\")]` or MCP_TEST_TIMEOUT gives it more time";

/// The parameters of a [`ServerCtx`].
#[derive(Debug, Clone)]
pub(crate) struct ServerSetup {
    /// The client under test.
    pub(crate) client: ClientTarget,
    /// The transport of the run.
    pub(crate) transport: TransportKind,
    /// The revision that the client is asked to speak.
    pub(crate) revision: Revision,
    /// The revisions that the server speaks.
    pub(crate) served: Revisions,
    /// The name of the test, which the client gets as the id of the scenario.
    pub(crate) scenario: String,
    /// The size limits on what the client sends.
    pub(crate) limits: Limits,
    /// When a client that is still running is ended: before the end of the run, so that this can be reported.
    pub(crate) until: Deadline,
}

/// The context of a test of a client: the server that the client talks to.
///
/// The test scripts the server, runs the client, and asserts what the client has sent:
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::prelude::*;
/// use mcp_test::server::calls;
///
/// fn my_client() -> ClientTarget {
///     ClientTarget::command("my-mcp-client")
/// }
///
/// async fn adds_two_numbers(server: &mut ServerCtx) -> Result<()> {
///     let sum = json!({"content": [{"type": "text", "text": "3"}]});
///     server.given(calls("add")).respond_with(sum);
///     server.run_client().await?;
///     server.received().assert_call("add").assert_argument("a", 1).assert_times(1);
///     Ok(())
/// }
/// ```
///
/// The server declares the capabilities for what its rules answer. A request that no rule answers gets an error, and fails the
/// test at its end, unless [`ReceivedMessages::assert_unscripted`] has examined it.
pub struct ServerCtx {
    setup: ServerSetup,
    server: Server,
    recorder: Recorder,
    golden: Option<Golden>,
    pub(super) run_of_test: Option<RunOfTest>,
    examined: ExaminedRequests,
    /// Whether the script has begun, so that the server can no longer be replaced.
    is_scripted: bool,
    pub(super) setups: Setups,
    /// How long the client that is running may take, if one is.
    running: Option<Duration>,
    /// How the last client ended.
    last_run: Option<ClientRun>,
    /// What is wrong with the ends of clients, also where the test has ignored the error.
    findings: Vec<Finding>,
}

/// What is known at the end of a test of a client.
pub(crate) struct EndedClientTest {
    pub(crate) trace: Trace,
    /// How the last client ended; `None` if none was run.
    pub(crate) last_run: Option<ClientRun>,
    /// That a client is still running, if the test was ended meanwhile.
    pub(crate) still_running: Option<Finding>,
    /// What is wrong with how clients ended.
    pub(crate) findings: Vec<Finding>,
    /// Requests that no rule answered and that the test did not examine.
    pub(crate) unscripted: Vec<Finding>,
    /// Rules that did not match as many messages as expected.
    pub(crate) unmet: Vec<Finding>,
}

impl ServerCtx {
    /// The context of a test whose client does not run yet.
    pub(crate) fn new(setup: ServerSetup) -> Self {
        let recorder = Recorder::new();
        let info = serde_json::json!({"name": "mcp-test", "version": env!("CARGO_PKG_VERSION")});
        let server = Server::new(info);
        let mut context = Self {
            server: server.clone(),
            recorder,
            golden: None,
            run_of_test: None,
            examined: ExaminedRequests::default(),
            is_scripted: false,
            setups: Setups::default(),
            running: None,
            last_run: None,
            findings: Vec::new(),
            setup,
        };
        context.server = context.prepared(server.revisions(context.setup.served));
        context
    }

    fn prepared(&self, server: Server) -> Server {
        server.declaring_rules().limits(self.setup.limits).record(self.recorder.clone())
    }

    /// Sets how the golden snapshots of the test are compared.
    #[doc(hidden)]
    pub fn set_golden(&mut self, golden: Option<Golden>) {
        self.golden = golden;
    }

    /// The revision of the run: after the client has sent something, the one that it speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        spoken(&self.trace(), self.setup.revision).unwrap_or(self.setup.revision)
    }

    /// The transport of the run.
    #[must_use]
    pub fn transport(&self) -> TransportKind {
        self.setup.transport
    }

    /// Changes the server itself, such as its capabilities, handlers and faults, or replaces it.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::prelude::*;
    /// use mcp_test::transport::Fault;
    ///
    /// # fn my_client() -> ClientTarget { ClientTarget::command("my-mcp-client") }
    /// async fn fails_on_a_wrong_id(server: &mut ServerCtx) -> Result<()> {
    ///     server.configure(|server| server.faults([Fault::wrong_id("initialize")]));
    ///     server.run_client_to_failure().await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// After the first rule or run of a client: what was scripted before would belong to another server.
    #[track_caller]
    pub fn configure(&mut self, change: impl FnOnce(Server) -> Server) {
        if self.is_scripted {
            let finding = Finding::test("the server cannot be configured any more")
                .expected("`configure` before the first rule and before the client runs")
                .got("a server with a script");
            fail_with(finding, self.trace(), self.revision());
        }
        let changed = change(self.server.clone());
        self.server = self.prepared(changed);
    }

    /// Starts a rule with its first condition: which messages of the client get which answer.
    ///
    /// If several rules match a message, the last one answers. The rule can be limited, named, and expected a number of
    /// times, which the end of the test verifies; [`given`](crate::server::given) describes rules.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # use mcp_test::server::{Answer, calls, method, param};
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.given(method("tools/list")).respond_with(json!({"tools": []})).expect(1);
    /// let busy = Answer::error(-32603, "try again");
    /// server.given(calls("add")).and(param("/arguments/a", 1)).respond_with(busy).up_to_n_times(1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn given(&mut self, condition: impl Condition) -> GivenRule {
        self.is_scripted = true;
        self.server.given(condition)
    }

    /// Mounts a rule that was made elsewhere, such as in a function that several tests use.
    pub fn mount(&mut self, rule: Rule) -> RuleHandle {
        self.is_scripted = true;
        self.server.mount_with_handle(rule)
    }

    /// Runs the client against the server until it exits.
    ///
    /// A test may run its client several times; the server remembers what it was sent.
    ///
    /// # Errors
    ///
    /// A finding if the client cannot be started, sends nothing, exits with an error, is still running shortly before the end of the
    /// test's time, or leaves processes behind. It fails the test also if it is ignored.
    pub async fn run_client(&mut self) -> Result<ClientRun, Finding> {
        let before = self.trace().events.last().map(|event| event.seq);
        let (run, allotted) = self.run().await?;
        let all = self.trace();
        let of_this_run = match before {
            Some(before) => Trace { events: all.since(before).to_vec(), ..all },
            None => all,
        };
        let ending = self.ending(&run, &of_this_run, allotted);
        // Why a client that has failed sent nothing is its failure.
        let wrong = bad_exit(&ending).or_else(|| ending.absence());
        let wrong = [wrong, ending.left_behind()];
        self.ended(run, wrong)
    }

    /// Runs the client against the server until it exits with an error, as the test expects; a panic of a client in this process is
    /// one, too.
    ///
    /// # Errors
    ///
    /// A finding if the client cannot be started, exits without an error, is killed by a signal, is still running shortly before
    /// the end of the test's time, or leaves processes behind. It fails the test also if it is ignored.
    pub async fn run_client_to_failure(&mut self) -> Result<FailedClient, Finding> {
        let (run, allotted) = self.run().await?;
        let trace = self.trace();
        let ending = self.ending(&run, &trace, allotted);
        let wrong = match run.end {
            _ if ending.has_reported_an_error() => None,
            ClientEnd::Failed(_) | ClientEnd::TimedOut => bad_exit(&ending),
            ClientEnd::Succeeded | ClientEnd::NotStarted(_) | ClientEnd::Unobserved => Some(
                Finding::peer("the client did not fail")
                    .expected("a client that exits with an error")
                    .got(ending.how_it_exited()),
            ),
        };
        let wrong = [wrong, ending.left_behind()];
        let run = self.ended(run, wrong)?;
        Ok(FailedClient::new(run, trace, self.revision()))
    }

    async fn run(&mut self) -> Result<(ClientRun, Duration), Finding> {
        self.is_scripted = true;
        let ServerSetup { client, transport, revision, scenario, until, .. } = self.setup.clone();
        let allotted = until.remaining().unwrap_or(Duration::MAX);
        self.running = Some(allotted);
        let endpoint = |address| Endpoint::new(address, scenario, revision);
        let running = serve_client(&self.server, &client, transport, endpoint, allotted);
        let run = outside_of_the_test(running).await;
        self.running = None;
        let run = run.map_err(|finding| self.note(finding))?;
        let trace = self.trace();
        match self.ending(&run, &trace, allotted).not_started(&client.label()) {
            Some(finding) => Err(self.note(finding)),
            None => Ok((run, allotted)),
        }
    }

    /// Notes how a client ended; the error is the first thing that is wrong with it.
    fn ended(&mut self, run: ClientRun, wrong: [Option<Finding>; 2]) -> Result<ClientRun, Finding> {
        self.last_run = Some(run.clone());
        let wrong: Vec<Finding> = wrong.into_iter().flatten().collect();
        self.findings.extend(wrong.iter().cloned());
        wrong.into_iter().next().map_or(Ok(run), Err)
    }

    fn note(&mut self, finding: Finding) -> Finding {
        self.findings.push(finding.clone());
        finding
    }

    fn ending<'a>(
        &'a self,
        run: &'a ClientRun,
        trace: &'a Trace,
        timeout: Duration,
    ) -> ClientEnding<'a> {
        let ServerSetup { scenario, transport, .. } = &self.setup;
        ClientEnding { run, trace, timeout, scenario, transport: *transport }
    }

    /// What the client has sent so far, for assertions.
    pub fn received(&self) -> ReceivedMessages {
        let trace = self.trace();
        let unscripted = unscripted(&self.server, &trace);
        let unscripted = unscripted.into_iter().filter_map(|(_, request)| request).collect();
        ReceivedMessages::new(trace, self.revision(), unscripted, self.examined.clone())
    }

    /// The conversation so far.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.recorder.trace()
    }

    /// The recorder of the conversation.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The error with which a test ends as skipped.
    #[must_use]
    pub fn skip(&self, reason: impl Into<String>) -> crate::Error {
        Skip { reason: reason.into() }.into()
    }

    /// Compares the conversation so far with the snapshot of the test; see [`Ctx::assert_golden`](super::Ctx::assert_golden).
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # fn my_client() -> ClientTarget { ClientTarget::command("my-mcp-client") }
    /// async fn connects(server: &mut ServerCtx) -> Result<()> {
    ///     server.run_client().await?;
    ///     server.assert_golden();
    ///     Ok(())
    /// }
    /// ```
    ///
    /// A client that sends several messages at the same time has no order that a snapshot could show.
    ///
    /// # Panics
    ///
    /// As [`Ctx::assert_golden`](super::Ctx::assert_golden).
    #[track_caller]
    pub fn assert_golden(&mut self) {
        self.assert_golden_with(GoldenOptions::new());
    }

    /// Compares the conversation so far with another snapshot of the test, of this name.
    ///
    /// # Panics
    ///
    /// As [`Ctx::assert_golden_of`](super::Ctx::assert_golden_of).
    #[track_caller]
    pub fn assert_golden_of(&mut self, name: impl Into<String>) {
        self.assert_golden_with(GoldenOptions::new().named(name));
    }

    /// Compares the conversation so far with a snapshot, with options of its own.
    ///
    /// # Panics
    ///
    /// As [`Ctx::assert_golden_of`](super::Ctx::assert_golden_of).
    #[track_caller]
    pub fn assert_golden_with(&mut self, options: GoldenOptions) {
        let (trace, place) = (self.trace(), (self.revision(), self.setup.transport));
        Golden::assert(self.golden.as_mut(), options, trace, place);
    }

    /// What is known at the end of the test.
    pub(crate) fn end(self) -> EndedClientTest {
        let trace = self.trace();
        let mut unscripted = unscripted(&self.server, &trace);
        unscripted.retain(|(_, request)| !request.is_some_and(|it| self.examined.contains(it)));
        let still_running = self.running.and_then(|allotted| {
            let run = ClientRun { end: ClientEnd::TimedOut, ..ClientRun::default() };
            bad_exit(&self.ending(&run, &trace, allotted))
        });
        EndedClientTest {
            unscripted: no_answers(&trace, &unscripted),
            unmet: self.server.verify(),
            still_running,
            last_run: self.last_run,
            findings: self.findings,
            trace,
        }
    }
}

/// The revision that the client spoke, as far as its messages show it.
pub(crate) fn spoken(trace: &Trace, asked: Revision) -> Option<Revision> {
    ClientSessions::of(trace, trace.received_messages()).spoken(asked.era())
}

/// That a client did not exit on its own and without an error, and what a test can do about one that takes long.
fn bad_exit(ending: &ClientEnding<'_>) -> Option<Finding> {
    let finding = ending.bad_exit()?;
    Some(match ending.run.end {
        ClientEnd::TimedOut => finding.hint(MORE_TIME),
        _ => finding,
    })
}

/// The requests that nothing in the script answered, in order of arrival, with their events as far as the trace has them.
fn unscripted(server: &Server, trace: &Trace) -> Vec<(ClientMessage, Option<Seq>)> {
    let mut remaining = trace.received_messages();
    let found = server.unscripted().into_iter().map(|request| {
        // Each once: a client may send the same request on two connections.
        let place = remaining.iter().position(|received| received.message == request.message);
        let seq = place.map(|place| remaining.remove(place).seq);
        (request, seq)
    });
    found.collect()
}

/// The findings that requests were not answered as a test scripts it: one for all that ask for the same.
fn no_answers(trace: &Trace, requests: &[(ClientMessage, Option<Seq>)]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (request, seq) in requests {
        let method = request.method().unwrap_or_default();
        let name = request.param("/name").and_then(Value::as_str);
        let of = name.map(|name| format!(" of `{}`", words::excerpt(name))).unwrap_or_default();
        let headline = format!("the test has scripted no answer to `{method}`{of}");
        if findings.iter().any(|known| known.headline == headline) {
            continue;
        }
        let finding = Finding::test(headline)
            .expected("a rule or a handler for each request of the client")
            .got("a request that the server answered with an error");
        let finding = finding.hint(format!(
            "script it with `server.given(…).respond_with(…)`, or assert it with \
             `server.received().assert_unscripted(\"{method}\")`"
        ));
        let evidence = seq.map(|seq| exchange_of(trace, seq)).unwrap_or_default();
        findings.push(finding.evidence_all(evidence));
    }
    findings
}

/// The event of a request and that of its reply.
fn exchange_of(trace: &Trace, request: Seq) -> Vec<Seq> {
    let mut correlator = Correlator::default();
    let mut shown = vec![request];
    for event in &trace.events {
        for correlated in correlator.event(event) {
            if correlated.request().is_some_and(|answered| answered.position.seq == request) {
                shown.push(event.seq);
            }
        }
    }
    shown
}
