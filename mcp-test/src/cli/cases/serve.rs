//! `mcp-test cases serve`: cases stand in for their server. Standard error tells which case answered, and at the end which
//! were not used.

use anstyle::{AnsiColor, Style};

use super::super::error::CliError;
use super::super::record::Live;
use super::super::signal;
use super::super::{conduct, output};
use super::args::ServeCasesArgs;
use super::watch::Watch;
use super::{read, run};
use crate::cases::serve::Event;
use crate::cases::{Cases, Mock, ReadOptions};
use crate::expect::words;
use crate::server::Server;
use crate::spec::Revisions;

/// Serves the cases until the client leaves, or a signal comes; that is how it is meant to end, and no failure.
pub(super) fn serve(args: &ServeCasesArgs) -> Result<u8, CliError> {
    let cases = read::read(&args.files, &ReadOptions::default())?;
    let revisions = args.revisions.iter().copied().reduce(Revisions::union);
    // An input that nothing gives a value takes the one that the client says.
    let inputs = run::inputs(&args.inputs, &cases, &|name| std::env::var(name).ok())?;
    let mock = Mock::new(cases)
        .inputs(inputs)
        .revisions(revisions.unwrap_or(Revisions::all()))
        .watched_by(tell);
    for note in mock.notes() {
        output::note(&note);
    }
    let live = Live::to(args.record.as_deref())?;
    let server = mock.server();
    let server = match &live {
        Some(live) => server.record(live.recorder()),
        None => server,
    };
    let watch = Watch::begin(&args.files, &mock);
    let runtime = conduct::runtime()?;
    let served = runtime.block_on(signal::unless_signalled(serve_as(args, &mock, &server)));
    // A thread may still wait for stdin.
    runtime.shutdown_background();
    drop(watch);
    sum_up(&mock);
    let recorded = live.map_or(Ok(()), |live| live.end("cases serve"));
    served.unwrap_or(Ok(()))?;
    recorded.map(|()| 0)
}

async fn serve_as(args: &ServeCasesArgs, mock: &Mock, server: &Server) -> Result<(), CliError> {
    let what = what_is_served(&mock.cases());
    let Some(address) = args.listen else {
        output::note(&format!("Serving {what} over stdin and stdout (over HTTP with --listen)"));
        let served = server.serve_stdio().await;
        return served.map_err(|error| CliError::Serve(error.into()));
    };
    let listening = server.listen(address).await;
    let listening = listening.map_err(|source| CliError::Listen { address, source })?;
    output::note(&format!("Serving {what}, until Ctrl+C"));
    output::print(&format!("Listening on {}\n", listening.url()))?;
    std::future::pending().await
}

fn what_is_served(cases: &Cases) -> String {
    let skipped = cases.iter().filter(|(_, case)| case.settings.skip.is_some()).count();
    let count = words::count(cases.iter().count() - skipped, "case");
    let files = words::count(cases.files.len(), "file");
    let skipped = if skipped > 0 { format!(", {skipped} more skipped") } else { String::new() };
    format!("{count} of {files}{skipped}")
}

/// Tells one thing that happened, in one line.
fn tell(event: &Event) {
    let style = match event {
        Event::Missed(_) => AnsiColor::Red.on_default(),
        Event::Differed { .. } | Event::Unsaid { .. } => AnsiColor::Yellow.on_default(),
        Event::Implied { .. } => Style::new().dimmed(),
        _ => Style::new(),
    };
    // The first client is usually the only one.
    let client = event.client().filter(|client| *client > 0);
    let client = client.map(|client| format!("client {}: ", client + 1)).unwrap_or_default();
    let text = words::printable(&event.to_string());
    output::note(&format!("{client}{style}{text}{style:#}"));
}

/// Tells which cases were not used.
fn sum_up(mock: &Mock) {
    let unused = mock.unused();
    let all = mock.cases();
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
