//! `mcp-test reference server`: the good server, for outsiders, with faults if they are wanted.

use super::args::{Reference, ReferenceServerArgs};
use super::error::CliError;
use super::signal::Signal;
use super::{conduct, output, signal};
use crate::server::reference::everything;
use crate::transport::{CarrierKind, fault::Lapse};

/// Serves until the client leaves, or a signal comes.
pub(super) fn serve(what: &Reference) -> Result<u8, CliError> {
    let Reference::Server(args) = what;
    let runtime = conduct::runtime()?;
    let stubborn = args.faults.iter().any(|fault| fault.is(Lapse::IgnoresTerm));
    let deaf_to = stubborn.then_some(Signal::Terminate);
    let served = runtime.block_on(signal::unless_signalled_except(deaf_to, serve_as(args)));
    // A thread may still wait for stdin.
    runtime.shutdown_background();
    match served {
        Ok(Ok(())) => Ok(0),
        Ok(Err(error)) => Err(error),
        Err(signal) => Ok(signal.exit()),
    }
}

async fn serve_as(args: &ReferenceServerArgs) -> Result<(), CliError> {
    works(args)?;
    let server = everything().faults(args.faults.iter().cloned());
    let Some(address) = args.listen else {
        return server.serve_stdio().await.map_err(|error| CliError::Serve(error.into()));
    };
    let listening =
        server.listen(address).await.map_err(|source| CliError::Listen { address, source })?;
    output::print(&format!("Listening on {}\n", listening.url()))?;
    std::future::pending().await
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
