//! `mcp-test cases serve`: mocks a server. Standard error shows which case answered, and at the end which were not used.

use anstyle::{AnsiColor, Style};
use mcp_test::cases::serve::MockEvent;
use mcp_test::cases::{Cases, Mock, ReadOptions};
use mcp_test_core::expect::words;
use mcp_test_core::server::Server;
use mcp_test_core::spec::Revisions;

use super::args::ServeCasesArgs;
use super::read;
use super::watch::Watch;
use crate::error::CliError;
use crate::listen::listen;
use crate::record::Live;
use crate::signal;
use crate::{execute, output, variable};

/// Serves the cases until the client disconnects or a signal arrives; both are the intended end.
pub(super) fn serve(args: &ServeCasesArgs) -> Result<u8, CliError> {
    let cases = read::read(&args.files, &ReadOptions::default())?;
    // A mock without --spec-version serves every revision; with an empty set it would refuse every client.
    let revisions = args.revisions.iter().copied().reduce(Revisions::union);
    // An input without a value takes it from the messages of the client.
    let inputs = args.inputs.resolve(&cases, &variable)?;
    let mock = Mock::new(cases)
        .inputs(inputs)
        .revisions(revisions.unwrap_or(Revisions::all()))
        .watched_by(print_event);
    for note in mock.notes() {
        output::note(&note);
    }
    // Before anything is served: a file that cannot be written would lose the conversation.
    let live = Live::to(args.record.as_deref())?;
    let server = mock.server();
    let server = match &live {
        Some(live) => server.record(live.recorder()),
        None => server,
    };
    let watch = Watch::begin(&args.files, &mock);
    let runtime = execute::runtime()?;
    let served = runtime.block_on(signal::unless_signalled(serve_as(args, &mock, server)));
    // A thread may still be blocked on stdin.
    runtime.shutdown_background();
    // The cases must not change any more while the unused ones are listed.
    drop(watch);
    print_unused(&mock);
    // Written even if serving failed, whose error is the more important one.
    let recorded = live.map_or(Ok(()), |live| live.end("cases serve"));
    served.unwrap_or(Ok(()))?;
    recorded.map(|()| 0)
}

async fn serve_as(args: &ServeCasesArgs, mock: &Mock, server: Server) -> Result<(), CliError> {
    let served = describe(&mock.cases());
    let Some(address) = args.listen.address else {
        // On standard error: standard output belongs to the protocol.
        output::note(&format!("Serving {served} over stdin and stdout (over HTTP with --listen)"));
        return server.serve_stdio().await.map_err(|error| CliError::Serve(error.into()));
    };
    output::note(&format!("Serving {served}, until Ctrl+C"));
    listen(server, address, &args.listen.hosts).await
}

fn describe(cases: &Cases) -> String {
    let skipped = cases.iter().filter(|(_, case)| case.settings.skip.is_some()).count();
    let count = words::count(cases.iter().count() - skipped, "case");
    let files = words::count(cases.files.len(), "file");
    let skipped = if skipped > 0 { format!(", {skipped} more skipped") } else { String::new() };
    format!("{count} of {files}{skipped}")
}

/// Prints an event as one line.
fn print_event(event: &MockEvent) {
    let style = match event {
        MockEvent::Unmatched(_) => AnsiColor::Red.on_default(),
        MockEvent::Differed { .. } | MockEvent::NotSent { .. } => AnsiColor::Yellow.on_default(),
        MockEvent::Implied { .. } => Style::new().dimmed(),
        _ => Style::new(),
    };
    // The first client is usually the only one, so it is not numbered.
    let client = event.client().filter(|client| *client > 0);
    let client = client.map(|client| format!("client {}: ", client + 1)).unwrap_or_default();
    // It may quote the client, whose control characters could change what the terminal shows.
    let text = words::printable(&event.to_string());
    output::note_styled(&format!("{client}{style}{text}{style:#}"));
}

/// Lists the unused cases.
fn print_unused(mock: &Mock) {
    let unused = mock.unused();
    let all = mock.cases();
    // A skipped case is not served, so it is neither used nor unused.
    let served = all.iter().filter(|(_, case)| case.settings.skip.is_none()).count();
    if unused.is_empty() {
        return output::note(&format!("Every case was used: {served}"));
    }
    let were = if unused.len() == 1 { "was" } else { "were" };
    output::note(&format!("{} of {} {were} not used:", unused.len(), words::count(served, "case")));
    for (file, case) in unused {
        output::note(&format!("  {}:{} {:?}", file.path, case.span.line, case.title()));
    }
}
