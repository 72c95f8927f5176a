//! `server-stderr`, for clients.

use std::future::pending;

use mcp_test_core::trace::ReceivedMessage;
use mcp_test_core::transport::{ClientEnd, stderr_text};

use super::started_server::StartedServer;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;
use crate::scenarios::reaction::went_on;

scenario! {
    /// The server writes a harmless line to its standard error before its first message, and before its second one more text than a pipe
    /// holds: 1 MiB. A client has to let it, whether it reads the text or discards it.
    ///
    /// A server that writes to a full pipe waits. So it would wait for ever if the client does not read.
    Client "server-stderr": "The client lets its server write to the standard error",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    transports: Only[Stdio],
    checks: [
        check!(LINE, "The client does not take a line on the standard error for a failure",
            &[MEANING]),
        check!(TEXT, "The client goes on when its server writes more text to the standard error than a pipe holds",
            [TRANSPORT_STDIO_STDERR_TOLERATED]),
    ],
}

/// What a line on the standard error means.
const MEANING: &Requirement = Requirement::TRANSPORT_STDIO_STDERR_NOT_ERROR;
const LINE: &str = "client-accepts-stderr-line";
const TEXT: &str = "client-reads-stderr";

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Fault::misbehavior(Misbehavior::FloodsStderr)])
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let messages = judging.messages();
    let mut requests = messages.iter().filter(|it| matches!(it.message, Message::Request(_)));
    let Some(first) = requests.next() else {
        return Err(judging
            .task_not_done("the client sent no request to its server")
            .expected("requests, with whose replies the server writes to its standard error")
            .got("no request"));
    };
    let second = requests.next();
    line(judging, first);
    text(judging, second);
    Ok(())
}

/// Judges what the client did after the first reply, before which the server had written a line.
fn line(judging: &mut Judging, first: &ReceivedMessage) {
    let went_on = went_on(judging, first);
    if !judging.makes(LINE) {
        return;
    }
    let is_in_force = judging.spoken().is_some_and(|it| MEANING.applies_at(it));
    if went_on == Some(false) && is_in_force {
        judging.tolerate_failed_exit();
    }
    let check = judging.check(LINE);
    match went_on {
        Some(false) if !is_in_force => {
            check.skip("the revision that the client speaks does not say what the line means")
        }
        Some(true) => check.pass(),
        Some(false) => check.fail(
            Finding::peer(
                "the client failed after its server had written a line to the standard error",
            )
            .expected(
                "another message, or an exit without an error: the line says nothing of a failure",
            )
            .got(format!("no message after `{}`, and an exit with an error", first.method()))
            .evidence(first.seq)
            .hint("a client that fails in every scenario may have another reason"),
        ),
        None => check.skip("nothing shows whether the client took the line for a failure"),
    };
}

/// Judges what the client did when the server wrote more than a pipe holds.
fn text(judging: &mut Judging, second: Option<&ReceivedMessage>) {
    let trace = judging.trace();
    let is_written = |part: &usize| {
        let line = stderr_text::line_of(*part);
        trace.events.iter().any(|event| match &event.kind {
            EventKind::Stderr(text) => text == line.trim_end(),
            _ => false,
        })
    };
    let parts = (1..=stderr_text::PARTS).take_while(is_written).count();
    let is_complete = parts == stderr_text::PARTS;
    let kib = |parts: usize| parts * stderr_text::PART / 1024;
    let ended_well = matches!(judging.client_end().0, ClientEnd::Succeeded | ClientEnd::Unobserved);
    let went_on = second.map(|second| went_on(judging, second));
    let check = judging.check(TEXT);
    let Some(second) = second else {
        check.skip("the client sent one request only");
        return;
    };
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected(format!(
                "{} KiB of text on the standard error are read or discarded, and the client goes on",
                kib(stderr_text::PARTS)
            ))
            .evidence(second.seq)
    };
    match went_on.flatten() {
        _ if !is_complete && !ended_well => check.fail(
            finding("the client does not read the standard error of its server")
                .got(format!("{} KiB were taken; then the server had to wait", kib(parts))),
        ),
        Some(true) => check.pass(),
        Some(false) => check.fail(
            finding("the client failed after its server had written to the standard error")
                .got(format!("no message after `{}`, and an exit with an error", second.method()))
                .hint("a client that fails in every scenario may have another reason"),
        ),
        _ => check.skip("the client left, or was ended, before anything showed whether it went on"),
    };
}

/// Takes the first line for a failure.
fn fails_at_the_line() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut server = StartedServer::start(&task)?;
        server.begin().await?;
        server.close().wait().await?;
        Err("the server has failed".into())
    })
}

/// Never reads what the server writes there, and waits for its reply.
fn never_reads() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut server = StartedServer::start(&task)?;
        server.begin().await?;
        server.request_after_begin("tools/list").await?;
        pending().await
    })
}

proofs! {
    passes on good_client();
    warns "client-accepts-stderr-line" on fails_at_the_line(), over Stdio;
    catches "client-reads-stderr" on never_reads(), over Stdio, timeout 1;
}
