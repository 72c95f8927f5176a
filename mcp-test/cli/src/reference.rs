//! `mcp-test reference server` and `reference client`: the reference peers, optionally with faults.

use std::path::Path;
use std::sync::Arc;

use mcp_test_core::json::Value;
use mcp_test_core::oauth::resource_server::ResourceServer;
use mcp_test_core::oauth::trusted_keys::TrustedKeys;
use mcp_test_core::process::Command;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Revision, Side};
use mcp_test_core::trace::Recorder;
use mcp_test_core::transport::client_target::{CONTEXT, PROTOCOL_VERSION, SCENARIO};
use mcp_test_core::transport::fault::Misbehavior;
use mcp_test_core::transport::{Endpoint, Fault, ServerAddress, TransportKind};
use mcp_test_suite::scenarios::authorization::client::signing_in_client::signing_in_client;

use super::args::{Reference, ReferenceClientArgs, ReferenceServerArgs};
use super::error::CliError;
use super::listen::listen;
use super::record::Live;
use super::signal::Signal;
use super::{authorization_server, execute, signal, variable};

/// Runs the peer until the other side is done or a signal arrives.
pub(super) fn run(peer: &Reference) -> Result<u8, CliError> {
    match peer {
        Reference::Server(args) => {
            let record = args.record.as_deref();
            run_peer("reference server", &args.faults, record, |recorder| serve(args, recorder))
        }
        Reference::Client(args) => {
            let record = args.record.as_deref();
            run_peer("reference client", &args.faults, record, |recorder| {
                run_client(args, recorder)
            })
        }
        Reference::AuthorizationServer(args) => authorization_server::run(args),
    }
}

fn run_peer<F: Future<Output = Result<(), CliError>>>(
    name: &str,
    faults: &[Fault],
    path: Option<&Path>,
    peer: impl FnOnce(Option<Recorder>) -> F,
) -> Result<u8, CliError> {
    let runtime = execute::runtime()?;
    // Before anything runs: a file that cannot be written would lose the conversation.
    let recording = Live::to(path)?;
    let recorder = recording.as_ref().map(Live::recorder);
    let ignores_term = faults.iter().any(|fault| fault.is(Misbehavior::IgnoresTerm));
    // Signals are handled here, so this fault takes effect here and not in the server.
    let ignored = ignores_term.then_some(Signal::Terminate);
    let result = runtime.block_on(signal::unless_signalled_except(ignored, peer(recorder)));
    // A thread may still be blocked on stdin.
    runtime.shutdown_background();
    // Written however the peer ended: a signal is the usual end of a server.
    let recorded = recording.map_or(Ok(()), |recording| recording.end(name));
    match result {
        Ok(Ok(())) => recorded.map(|()| 0),
        Ok(Err(error)) => Err(error),
        Err(signal) => recorded.map(|()| signal.exit()),
    }
}

async fn serve(args: &ReferenceServerArgs, recorder: Option<Recorder>) -> Result<(), CliError> {
    let (transport, advice) = match args.listen.address {
        Some(_) => (TransportKind::Http, "serve with --stdio"),
        None => (TransportKind::Stdio, "serve with --listen ADDRESS"),
    };
    check_faults(&args.faults, transport, advice)?;
    let needs_protection = |fault: &&Fault| fault.is_of_protection() && args.protected.is_none();
    if let Some(fault) = args.faults.iter().find(needs_protection) {
        return Err(CliError::UnprotectedFault(fault.clone()));
    }
    let server = everything().faults(args.faults.iter().cloned());
    let server = match &args.protected {
        Some(issuer) => {
            let keys = TrustedKeys::published_by(issuer);
            let resource = ResourceServer::new(issuer, keys).scopes(args.scopes.iter().cloned());
            server.access(Arc::new(resource))
        }
        None => server,
    };
    let server = match recorder {
        Some(recorder) => server.record(recorder),
        None => server,
    };
    match args.listen.address {
        Some(address) => listen(server, address, &args.listen.hosts).await,
        None => server.serve_stdio().await.map_err(|error| CliError::Serve(error.into())),
    }
}

async fn run_client(
    args: &ReferenceClientArgs,
    recorder: Option<Recorder>,
) -> Result<(), CliError> {
    // The grammar is the same for both peers, so a fault of a server can be parsed here.
    if let Some(fault) = args.faults.iter().find(|fault| !fault.is_of(Side::Client)) {
        return Err(CliError::ServerFault(fault.clone()));
    }
    let (server, advice) = match &args.url {
        Some(url) => (ServerAddress::from(url.as_str()), "give it a command instead of a URL"),
        None => {
            let command = Command::parse(args.command.iter().map(String::as_str))?;
            (ServerAddress::from(command), "give it a URL instead of a command")
        }
    };
    if let Some(result) = args.request.run(&server, recorder.as_ref()).await {
        return result;
    }
    let invalid = |name, problem: String| CliError::Variable { name, problem };
    // The environment of a client of the official suite; all of it is optional, so that a URL is enough by hand.
    let revision = match variable(PROTOCOL_VERSION) {
        Some(text) => {
            text.parse().map_err(|error| invalid(PROTOCOL_VERSION, format!("{error}")))?
        }
        None => Revision::NEWEST_HANDSHAKE,
    };
    let context = variable(CONTEXT)
        .map(|text| Value::parse(text.as_bytes()).map(|document| document.value))
        .transpose()
        .map_err(|error| invalid(CONTEXT, format!("not JSON: {error}")))?;
    let scenario = variable(SCENARIO).unwrap_or_default();
    let endpoint = Endpoint::new(server, scenario, revision).context(context);
    let endpoint = endpoint.with_browser_program(variable("BROWSER").map(Into::into));
    check_faults(&args.faults, endpoint.transport(), advice)?;
    let client = signing_in_client().faults(args.faults.iter().cloned());
    let client = match recorder {
        Some(recorder) => client.record(recorder),
        None => client,
    };
    client.run(endpoint).await.map_err(CliError::ReferenceClient)
}

/// Refuses faults that have no effect over the transport: a test with them would pass vacuously.
fn check_faults(
    faults: &[Fault],
    transport: TransportKind,
    advice: &'static str,
) -> Result<(), CliError> {
    match faults.iter().find(|fault| !fault.applies_to(transport)) {
        Some(fault) => Err(CliError::Fault { fault: fault.clone(), transport, advice }),
        None => Ok(()),
    }
}
