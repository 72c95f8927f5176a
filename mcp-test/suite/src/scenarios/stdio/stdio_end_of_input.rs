//! `stdio-end-of-input`.

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::trace::Event;

use crate::scenarios::prelude::*;

scenario! {
    /// A server whose input ends before the first message exits, and has not said anything.
    ///
    /// It has nothing to wait for, and nothing to say either: a client does not know yet what a notification means.
    Server "stdio-end-of-input": "The server exits when its input ends",
    revisions: Revisions::all(),
    repeats: Once,
    transports: Only [Duplex, Stdio],
    checks: [
        check!("silent-before-initialize",
            "A server whose input ends before the first message has not sent any itself",
            [LIFECYCLE_INITIALIZE_FIRST]),
        check!("exit-without-messages", "A server whose input ends before the first message exits on its own",
            [TRANSPORT_STDIO_EXIT_ON_EOF, TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED]),
    ],
}

/// How long a server may take to exit that has not received anything, its start included, if the scenario has the time.
const EXIT: Duration = Duration::from_secs(10);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let connection = ctx.open().await?;
    let id = connection.id();
    let whole = ctx.options().timeout;
    let mut end = connection.end(EXIT.min(whole / 3)).await;
    if !end.orderly {
        // What depends on time alone has to show twice, the second time with more of it.
        end = ctx.open().await?.end(whole / 2).await;
    }
    let is_starting = !end.orderly && starts_slowly(ctx, whole / 4).await;
    if ctx.revision().era() == Era::Handshake {
        let trace = ctx.trace();
        let is_early = |event: &Event| event.connection == id && event.party == Party::Server;
        let early = trace.messages().find(|(event, _)| is_early(event));
        ctx.check("silent-before-initialize").judge(early.map_or(Ok(()), |(event, message)| {
            Err(Finding::peer("the server sent a message before it received any")
                .expected("nothing before the reply to `initialize`")
                .got(message.to_value().short(120))
                .evidence(event.seq))
        }));
    }
    let row = match ctx.revision().era() {
        Era::Stateless => Requirement::TRANSPORT_STDIO_EXIT_ON_EOF,
        Era::Handshake => Requirement::TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED,
    };
    if is_starting {
        ctx.check("exit-without-messages")
            .skip("the program may not have started in that time: `--timeout` allows more");
        return Ok(());
    }
    ctx.check("exit-without-messages").requires(row).judge(ensure(end.orderly, || {
        Finding::peer("the server did not exit when its input ended before the first message")
            .expected("a server that exits on its own soon after the end of its input")
            .got(end.how.clone())
            .caused_by(Cause::for_requirement(row))
            .should()
    }));
    Ok(())
}

/// Whether a start of the program takes longer than this, so that the end of its input may have come while it started.
async fn starts_slowly(ctx: &mut Ctx, longest: Duration) -> bool {
    let starting = Stopwatch::start();
    let is_connected = ctx.client().await.is_ok();
    !is_connected || starting.elapsed() > longest
}

proofs! {
    passes on everything();
    catches "silent-before-initialize" by banner(LOG_MESSAGE), at V2025_11_25;
    warns "exit-without-messages" by misbehavior(Misbehavior::IgnoresEof);
}

/// What a server sends that reports its start to a client which it does not have yet.
const LOG_MESSAGE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"started"}}"#;
