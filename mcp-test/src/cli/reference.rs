//! `mcp-test reference server` and `reference client`: the good peers, for outsiders, with faults if they are wanted.

use super::args::{Reference, ReferenceClientArgs, ReferenceServerArgs};
use super::error::CliError;
use super::record::Live;
use super::signal::Signal;
use super::{conduct, output, signal};
use crate::client::reference::good_client;
use crate::json::Value;
use crate::server::reference::everything;
use crate::spec::{Revision, Side};
use crate::trace::Recorder;
use crate::transport::client_target::{CONTEXT, PROTOCOL_VERSION, SCENARIO};
use crate::transport::{CarrierKind, Endpoint, fault::Lapse};

/// Is the peer until the other side leaves, or a signal comes.
pub(super) fn be(what: &Reference) -> Result<u8, CliError> {
    let runtime = conduct::runtime()?;
    let (faults, path, name) = match what {
        Reference::Server(args) => (&args.faults, &args.record, "reference server"),
        Reference::Client(args) => (&args.faults, &args.record, "reference client"),
    };
    let live = Live::to(path.as_deref())?;
    let recorder = live.as_ref().map(Live::recorder);
    let stubborn = faults.iter().any(|fault| fault.is(Lapse::IgnoresTerm));
    let deaf_to = stubborn.then_some(Signal::Terminate);
    let being = async {
        match what {
            Reference::Server(args) => serve_as(args, recorder).await,
            Reference::Client(args) => {
                visit_as(args, recorder, |name| std::env::var(name).ok()).await
            }
        }
    };
    let served = runtime.block_on(signal::unless_signalled_except(deaf_to, being));
    // A thread may still wait for stdin.
    runtime.shutdown_background();
    let recorded = live.map_or(Ok(()), |live| live.end(name));
    match served {
        Ok(Ok(())) => recorded.map(|()| 0),
        Ok(Err(error)) => Err(error),
        Err(signal) => recorded.map(|()| signal.exit()),
    }
}

async fn serve_as(args: &ReferenceServerArgs, recorder: Option<Recorder>) -> Result<(), CliError> {
    works(args)?;
    let server = everything().faults(args.faults.iter().cloned());
    let server = match recorder {
        Some(recorder) => server.record(recorder),
        None => server,
    };
    let Some(address) = args.listen else {
        return server.serve_stdio().await.map_err(|error| CliError::Serve(error.into()));
    };
    let listening =
        server.listen(address).await.map_err(|source| CliError::Listen { address, source })?;
    output::print(&format!("Listening on {}\n", listening.url()))?;
    std::future::pending().await
}

async fn visit_as(
    args: &ReferenceClientArgs,
    recorder: Option<Recorder>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(), CliError> {
    if let Some(fault) = args.faults.iter().find(|fault| !fault.is_of(Side::Client)) {
        return Err(CliError::FaultOfServers(fault.clone()));
    }
    if let Some(fault) = args.faults.iter().find(|fault| !fault.applies_to(CarrierKind::Http)) {
        let advice = "a client is sent to a URL";
        return Err(CliError::Fault { fault: fault.clone(), carrier: CarrierKind::Http, advice });
    }
    let wrong = |name, problem: String| CliError::Variable { name, problem };
    let revision = match variable(PROTOCOL_VERSION) {
        Some(text) => text.parse().map_err(|error| wrong(PROTOCOL_VERSION, format!("{error}")))?,
        None => Revision::NEWEST_HANDSHAKE,
    };
    let context = match variable(CONTEXT) {
        Some(text) => {
            let read = Value::parse(text.as_bytes());
            Some(read.map_err(|error| wrong(CONTEXT, format!("not JSON: {error}")))?.value)
        }
        None => None,
    };
    let scenario = variable(SCENARIO).unwrap_or_default();
    let endpoint = Endpoint::new(&args.url, scenario, revision).context(context);
    let client = good_client().faults(args.faults.iter().cloned());
    let client = match recorder {
        Some(recorder) => client.record(recorder),
        None => client,
    };
    client.visit(endpoint).await.map_err(CliError::Visit)
}

/// A fault that does nothing would make a test of it pass for nothing.
fn works(args: &ReferenceServerArgs) -> Result<(), CliError> {
    let (carrier, advice) = match args.listen {
        Some(_) => (CarrierKind::Http, "serve with --stdio"),
        None => (CarrierKind::Stdio, "serve with --listen ADDRESS"),
    };
    match args.faults.iter().find(|fault| !fault.applies_to(carrier)) {
        Some(fault) => Err(CliError::Fault { fault: fault.clone(), carrier, advice }),
        None => Ok(()),
    }
}
