//! `server-ignores-eof`, for clients.

use mcp_test_core::trace::EndSignal;
use mcp_test_core::transport::ClientEnd;

use super::started_server::StartedServer;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server keeps running when its standard input ends, and when it gets SIGTERM. A client should not leave it behind: it ends it
    /// with SIGKILL before it exits.
    ///
    /// That it closes the input first, and sends SIGTERM before SIGKILL, is judged in every scenario.
    Client "server-ignores-eof": "The client ends a server that ignores the end of its input",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    transports: Only[Stdio],
    checks: [
        check!(ENDS_SERVER, "A server that survives the end of its input and SIGTERM is ended by force",
            [TRANSPORT_STDIO_SHUTDOWN_FORCED, TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL]),
    ],
}

const ENDS_SERVER: &str = "client-ends-server";

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Misbehavior::IgnoresEof, Misbehavior::IgnoresTerm].map(Fault::misbehavior))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let trace = judging.trace();
    let Some(last) = judging.messages().last().map(|message| message.seq) else {
        return Err(judging
            .task_not_done("the client sent nothing to its server")
            .expected("a conversation, after which the client ends the server")
            .got("no message"));
    };
    let by_client = trace.events.iter().filter(|event| event.party == Party::Client);
    let signals: Vec<EndSignal> = by_client
        .filter_map(|event| match event.kind {
            EventKind::Signalled { signal, .. } => Some(signal),
            _ => None,
        })
        .collect();
    // The only one that the server ignores.
    let was_ended = signals.iter().any(|signal| *signal != EndSignal::Terminate);
    let got = match (judging.client_end().0, signals.first()) {
        (ClientEnd::TimedOut, _) => {
            "a client that still ran, as its server did, when its time was up"
        }
        (_, None) => "the exit of the client, while the server still ran and had got no signal",
        (_, Some(_)) => {
            "the exit of the client, while the server still ran and had got only SIGTERM"
        }
    };
    if !was_ended && *judging.client_end().0 == ClientEnd::TimedOut {
        // Having to end it is not a finding of its own.
        judging.tolerate_failed_exit();
    }
    let row = match judging.spoken().map(Revision::era) {
        Some(Era::Handshake) => Requirement::TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL,
        Some(Era::Stateless) | None => Requirement::TRANSPORT_STDIO_SHUTDOWN_FORCED,
    };
    let check = judging.check(ENDS_SERVER).requires(row);
    match was_ended {
        true => check.pass(),
        false => check.fail(
            Finding::peer("the client did not end a server that ignores the end of its input")
                .expected(
                    "SIGTERM, and SIGKILL for a server that survives it, before the client exits",
                )
                .got(got)
                .evidence(last),
        ),
    };
    Ok(())
}

/// Exits as soon as it has closed the input.
fn leaves_it_running() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut server = StartedServer::start(&task)?;
        server.begin().await
    })
}

/// Waits for the exit for ever.
fn waits_for_its_exit() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut server = StartedServer::start(&task)?;
        server.begin().await?;
        let mut child = server.close();
        child.wait().await?;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    warns "client-ends-server" on leaves_it_running(), over Stdio;
    warns "client-ends-server" on waits_for_its_exit(), over Stdio, timeout 1;
}
