//! One cell of the client leg: the scenario furnishes a server, the client comes and goes, and then is judged.

use std::sync::Arc;

use super::{Parts, Stage, blame_the_rest, complain_about_the_rest};
use crate::check::{self, Check, Finding, Origin, ShapeJudgement, Status};
use crate::clock;
use crate::process::Exit;
use crate::run::Outcome;
use crate::scenario::{self, Judge, Judging, LEFT_WELL, Serve, TOOK_PART};
use crate::server::Server;
use crate::spec::Revision;
use crate::trace::{Party, Recorder, Seq, Trace, What};
use crate::transport::client_target::SCENARIO;
use crate::transport::{ClientTarget, Leaving, Left};
use crate::wire::Message;

/// What a shell exits with when it cannot start a program.
const UNSTARTED: [i32; 2] = [126, 127];

impl Stage<'_> {
    /// Sends the client to the server of the scenario, and judges what it said there.
    pub(super) async fn visited(
        self,
        client: &ClientTarget,
        serve: &Serve,
        judge: &Judge,
    ) -> Outcome {
        let stage = scenario::Stage::new(self.cell.scenario, self.cell.revision, self.profile);
        let recorder = Recorder::new();
        let server = serve(&stage).limits(self.plan.limits).record(recorder.clone());
        let left = match self.send(client, &server).await {
            Ok(left) => left,
            Err(finding) => return self.abandoned(&finding),
        };
        let trace = Arc::new(recorder.trace());
        if let Some(why) = unstarted(&left, &trace) {
            let finding = Finding::environment("the client could not be started")
                .expected(format!("a command that starts the client: `{}`", client.label()))
                .got(why)
                .hint("--command goes to a shell, which adds the URL of the server as last word");
            return self.abandoned(&finding);
        }
        let mut judging = Judging::new(stage, Arc::clone(&trace), left.clone());
        let spoken = judging.agreed().unwrap_or(self.cell.revision);
        let ending = judge(&mut judging);
        let mut checks = judging.into_checks();
        match ending {
            Err(finding) => blame_the_rest(self.cell, &mut checks, &finding),
            Ok(()) => complain_about_the_rest(self.cell, &mut checks),
        }
        checks.push(self.took_part(&trace, &left));
        checks.push(self.left_well(&trace, &left));
        let (judged, shapes) = self.judged(&trace, spoken);
        let tools = check::judge_tools(&trace, Party::Client, &|_| spoken);
        let trace = Arc::unwrap_or_clone(trace);
        self.concluded(Parts { checks, trace, judged, shapes, tools, left: Some(left) })
    }

    /// What is wrong with the client's side of the conversation, and what the shapes of all messages come to.
    fn judged(&self, trace: &Trace, spoken: Revision) -> (Vec<Finding>, ShapeJudgement) {
        let (client, spoken) = (Party::Client, &|_| spoken);
        let (schemas, authority) =
            (&self.plan.schemas, self.profile.authority(Some(self.cell.scenario)));
        let shapes = check::judge_shapes(trace, client, spoken, schemas, authority);
        (check::judge(trace, client, spoken), shapes)
    }

    #[cfg(feature = "http")]
    async fn send(&self, client: &ClientTarget, server: &Server) -> Result<Left, Finding> {
        use crate::transport::Endpoint;

        let listening = server.listen(("127.0.0.1", 0)).await.map_err(|error| {
            Finding::environment("no port could be opened for the client").got(error.to_string())
        })?;
        let endpoint = Endpoint::new(listening.url(), self.cell.scenario.id, self.cell.revision);
        let left = client.visit(endpoint, self.timeout()).await;
        listening.end().await;
        Ok(left)
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    async fn send(&self, _: &ClientTarget, _: &Server) -> Result<Left, Finding> {
        Err(Finding::environment("clients are tested with the feature `http` of mcp-test"))
    }

    /// There was no visit, and the client is not to blame.
    fn abandoned(self, finding: &Finding) -> Outcome {
        let mut checks = Vec::new();
        blame_the_rest(self.cell, &mut checks, finding);
        self.outcome(checks, Trace::default())
    }

    /// Nothing passes vacuously: of a client that never came, or said nothing, no check says anything.
    fn took_part(&self, trace: &Trace, left: &Left) -> Check {
        let mut row = if trace.has_said(Party::Client) {
            Check::new(TOOK_PART, Origin::Own, Status::Success)
        } else {
            let came = trace.events.iter().any(|event| {
                event.party == Party::Client && matches!(event.what, What::HttpRequest { .. })
            });
            let headline = if came {
                "the client connected, and said nothing in MCP"
            } else {
                "the client never connected"
            };
            let finding = Finding::peer(headline)
                .expected("at least one JSON-RPC message in a POST to the URL of the server")
                .got(how_it_left(left, self))
                .hint(where_to_look(left, self.cell.scenario.id));
            Check { binding: true, ..Check::from_finding(TOOK_PART, Origin::Own, finding) }
        };
        row.name = "ClientTookPart".to_owned();
        row.description = "The client connects, and says something".to_owned();
        row
    }

    /// A client that has to be ended, or ends with an error, did not come to the end of its part.
    ///
    /// Officially that fails a scenario that is run by itself, and is ignored in a suite.
    fn left_well(&self, trace: &Trace, left: &Left) -> Check {
        let mut row = if left.leaving == Leaving::Content {
            Check::new(LEFT_WELL, Origin::Own, Status::Success)
        } else if left.leaving == Leaving::Unseen {
            let unseen = "the client was started by hand, so how it leaves is not seen";
            Check {
                message: Some(unseen.to_owned()),
                ..Check::new(LEFT_WELL, Origin::Own, Status::Skipped)
            }
        } else {
            let (headline, expected) = match left.leaving {
                Leaving::Outstayed => (
                    "the client did not leave in time, and was ended",
                    format!("its end within {}", clock::in_words(self.timeout())),
                ),
                _ => ("the client left with an error", "exit code 0".to_owned()),
            };
            let (last, evidence) = last_words(trace);
            let finding = Finding::peer(headline)
                .expected(expected)
                .got(format!("{}{last}", how_it_left(left, self)))
                .evidence_all(evidence);
            let check = Check::from_finding(LEFT_WELL, Origin::Own, finding);
            Check { binding: self.plan.single, ..check }
        };
        row.name = "ClientLeftWell".to_owned();
        row.description = "The client leaves by itself, and without an error".to_owned();
        row
    }
}

/// Why the client could not be started, if that is so: then it never came, either.
fn unstarted(left: &Left, trace: &Trace) -> Option<String> {
    let last = left.stderr.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
    match (&left.leaving, left.exit) {
        (Leaving::NotStarted(why), _) => Some(why.clone()),
        (_, Some(Exit::Code(code)))
            if UNSTARTED.contains(&code) && !trace.has_said(Party::Client) =>
        {
            Some(format!("exit code {code} of the shell{last}"))
        }
        _ => None,
    }
}

fn how_it_left(left: &Left, stage: &Stage<'_>) -> String {
    match &left.leaving {
        Leaving::Content => "a client that left by itself, and content".to_owned(),
        Leaving::Failed(how) => format!("a client that left with {how}"),
        Leaving::NotStarted(why) => why.clone(),
        Leaving::Unseen => "nothing until the wait for a client was ended".to_owned(),
        Leaving::Outstayed => {
            format!("a client that was still there after {}", clock::in_words(stage.timeout()))
        }
    }
}

/// Where a client finds what it did not use.
fn where_to_look(left: &Left, scenario: &str) -> String {
    let url = match (&left.command, &left.leaving) {
        (Some(_), _) => "the URL is the last word of the command",
        (None, Leaving::Unseen) => "start the client with the URL that was printed",
        (None, _) => return format!("URL and scenario `{scenario}` are members of its `Endpoint`"),
    };
    format!("{url}; the scenario `{scenario}` is in ${SCENARIO}")
}

/// What was said last, as the end of a sentence, and where it stands.
fn last_words(trace: &Trace) -> (String, Vec<Seq>) {
    let of = |party| trace.messages().filter(|(event, _)| event.party == party).last();
    let word = |message: &Message| match message {
        Message::Request(request) => format!("`{}`", request.method),
        Message::Notification(notification) => format!("`{}`", notification.method),
        Message::Response(_) => "a result".to_owned(),
        Message::Error(reply) => format!("the error {}", reply.error.code),
    };
    let Some((said, message)) = of(Party::Client) else {
        return (String::new(), Vec::new());
    };
    let mut text = format!("; the last that it said was {}", word(message));
    let mut evidence = vec![said.seq];
    if let Some((answer, message)) = of(Party::Server).filter(|(event, _)| event.seq > said.seq) {
        text.push_str(&format!(", and the last that it was told was {}", word(message)));
        evidence.push(answer.seq);
    }
    (text, evidence)
}
