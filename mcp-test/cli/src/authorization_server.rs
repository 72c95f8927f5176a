//! `mcp-test reference authorization-server`: an authorization server, until a signal arrives.

use mcp_test_core::oauth::{
    AuthorizationServer, AuthorizationServerBuilder, OAuthClient, StartError,
};

use super::args::ReferenceAuthorizationServerArgs;
use super::error::CliError;
use super::option_value::SecretArg;
use super::{execute, listen, output, signal};

pub(super) fn run(args: &ReferenceAuthorizationServerArgs) -> Result<u8, CliError> {
    let runtime = execute::runtime()?;
    match runtime.block_on(signal::unless_signalled(serve(args))) {
        Ok(Ok(())) => Ok(0),
        Ok(Err(error)) => Err(error),
        Err(signal) => Ok(signal.exit()),
    }
}

async fn serve(args: &ReferenceAuthorizationServerArgs) -> Result<(), CliError> {
    let address = args.address;
    let builder = AuthorizationServer::builder().scopes(args.scopes.iter().cloned());
    let builder = with_options(builder, args);
    let builder = args.hosts.iter().fold(builder, AuthorizationServerBuilder::allow_host);
    let clients = args.clients.iter().map(|client| registered(client, &args.redirect_uris));
    let builder = clients.fold(builder, AuthorizationServerBuilder::client);
    let server = builder.listen(address).await.map_err(|error| match error {
        StartError::Listen(source) => CliError::Listen { address, source },
        other => CliError::Serve(other.into()),
    })?;
    if let Some(warning) = listen::warning(server.address(), &args.hosts) {
        output::warn(&warning);
    }
    // On standard output, so that a script can read the issuer, in which port 0 has become the real one.
    output::print(&format!("Issuer {}\n", server.issuer()))?;
    // The server runs until a signal drops this future.
    std::future::pending().await
}

fn with_options(
    mut builder: AuthorizationServerBuilder,
    args: &ReferenceAuthorizationServerArgs,
) -> AuthorizationServerBuilder {
    if let Some(lifetime) = args.token_lifetime {
        builder = builder.access_token_lifetime(lifetime);
    }
    if let Some(lifetime) = args.refresh_token_lifetime {
        builder = builder.refresh_token_lifetime(lifetime);
    }
    if args.dpop_nonces {
        builder = builder.dpop_nonces();
    }
    if args.no_client_documents {
        builder = builder.no_client_documents();
    }
    if args.remote_client_documents {
        builder = builder.remote_client_documents();
    }
    builder
}

/// The client of `ID[=SECRET]`.
fn registered(client: &SecretArg, redirect_uris: &[String]) -> OAuthClient {
    let client = match client.reveal().split_once('=') {
        Some((id, secret)) => OAuthClient::confidential(id, secret),
        None => OAuthClient::public(client.reveal()),
    };
    redirect_uris.iter().fold(client, OAuthClient::redirect_uri)
}
