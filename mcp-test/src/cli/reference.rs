//! `mcp-test reference server`: the good server, for outsiders, with faults if they are wanted.

use super::args::{Reference, ReferenceServerArgs};
use super::error::CliError;
use super::{conduct, output, signal};
use crate::server::reference::everything;

/// Serves until the client leaves, or a signal comes.
pub(super) fn serve(what: &Reference) -> Result<u8, CliError> {
    let Reference::Server(args) = what;
    let runtime = conduct::runtime()?;
    let served = runtime.block_on(signal::unless_signalled(serve_as(args)));
    // A thread may still wait for stdin.
    runtime.shutdown_background();
    match served {
        Ok(Ok(())) => Ok(0),
        Ok(Err(error)) => Err(error),
        Err(signal) => Ok(signal.exit()),
    }
}

async fn serve_as(args: &ReferenceServerArgs) -> Result<(), CliError> {
    let server = everything().faults(args.faults.iter().cloned());
    let Some(address) = args.listen else {
        return server.serve_stdio().await.map_err(|error| CliError::Serve(error.into()));
    };
    let listening = server.listen(address).await.map_err(|error| CliError::Serve(error.into()))?;
    output::print(&format!("Listening on {}\n", listening.url()))?;
    std::future::pending().await
}
