//! `check --auth`: a server is tested as a protected one, with tokens of an issuer that mcp-test runs.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use mcp_test_core::oauth::downstream_service::DownstreamService;
use mcp_test_core::oauth::issuer_tokens::IssuerTokens;
use mcp_test_core::oauth::{AuthorizationServer, StartError};
use mcp_test_core::transport::Target;
use mcp_test_core::transport::test_tokens::{Downstream, GivenTokens, TestTokens};
use tokio::runtime::Runtime;

use super::common_args::TargetArgs;
use super::error::CliError;
use super::option_value as value;
use super::output;

/// The variable by which a command learns the issuer of the tokens of a test.
const ISSUER: &str = "MCP_TEST_ISSUER";
/// The variable by which it learns the URL of the service that it may call.
const DOWNSTREAM: &str = "MCP_TEST_DOWNSTREAM";

/// How a protected server is tested.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ProtectionArgs {
    /// Test the server as a protected one, too: what it tells clients without a token, and which tokens it refuses
    #[arg(long)]
    auth: bool,
    /// With `--auth`, issue the tokens of the test, good and bad ones, as an authorization server at this address, which the server
    /// has to trust; a bare port listens on localhost only, port 0 picks a free one. A command learns the issuer from the
    /// variable MCP_TEST_ISSUER [default: 0 with a command, otherwise none]
    #[arg(long, value_name = "ADDRESS", requires = "auth", conflicts_with = "tokens", value_parser = value::address)]
    issuer: Option<SocketAddr>,
    /// A scope of these tokens (repeatable) [default: those that the server names in its challenge or its metadata]
    #[arg(long = "issuer-scope", value_name = "SCOPE", requires = "auth")]
    scopes: Vec<String>,
    /// With `--auth`, be a service at this address that the server calls, to which it must not pass on a token; a command learns the
    /// URL from the variable MCP_TEST_DOWNSTREAM
    #[arg(long, value_name = "ADDRESS", requires = "auth", value_parser = value::address)]
    downstream: Option<SocketAddr>,
}

/// The tokens of a test of a protected server, and the issuer that they come from.
pub(super) struct Protection {
    tokens: TokenSource,
    /// It answers as long as this lives.
    _server: Option<AuthorizationServer>,
    /// What a command learns by variables.
    variables: Vec<(&'static str, String)>,
}

/// Where the tokens come from.
enum TokenSource {
    Issued(Arc<IssuerTokens>),
    /// From the operator, who has given them to the target; with the service that the server calls.
    Given(Option<Arc<dyn Downstream>>),
}

impl ProtectionArgs {
    /// Starts the issuer in a runtime, if the server is tested as a protected one.
    pub(super) fn start(
        &self,
        target: &TargetArgs,
        runtime: &Runtime,
    ) -> Result<Option<Protection>, CliError> {
        if !self.auth {
            return Ok(None);
        }
        if target.url.is_none() {
            return Err(CliError::AuthWithoutUrl);
        }
        let mut variables = Vec::new();
        let mut downstream: Option<Arc<dyn Downstream>> = None;
        if let Some(address) = self.downstream {
            let service = runtime.block_on(DownstreamService::listen(address));
            let service = service.map_err(|source| CliError::Listen { address, source })?;
            warn_of(address);
            output::note(&format!("Service {}, which the server may call", service.url()));
            variables.push((DOWNSTREAM, service.url()));
            downstream = Some(Arc::new(service));
        }
        let are_given = !target.authorization.tokens.is_empty();
        let starts = !target.command.is_empty() && !are_given;
        let free_port = || starts.then(|| ([127, 0, 0, 1], 0).into());
        let Some(address) = self.issuer.or_else(free_port) else {
            if !are_given {
                output::warn(
                    "the server is tested without tokens, since none are given: what needs one is skipped\n  \
                     `--issuer ADDRESS` issues tokens as an authorization server that the server has to trust,\n  \
                     `--token user=@FILE` sends one of yours",
                );
            }
            let tokens = TokenSource::Given(downstream);
            return Ok(Some(Protection { tokens, _server: None, variables }));
        };
        let server = runtime.block_on(AuthorizationServer::builder().listen(address));
        let server = server.map_err(|error| match error {
            StartError::Listen(source) => CliError::Listen { address, source },
            other => CliError::Serve(other.into()),
        })?;
        let tokens = server.test_tokens().map_err(|error| CliError::Serve(error.into()))?;
        let tokens = match self.scopes.as_slice() {
            [] => tokens,
            scopes => tokens.scopes(scopes.iter().cloned()),
        };
        let tokens = match downstream {
            Some(service) => tokens.calling(service),
            None => tokens,
        };
        variables.push((ISSUER, server.issuer().to_owned()));
        warn_of(address);
        output::note(&format!("Issuer {}, which the server has to trust", server.issuer()));
        Ok(Some(Protection {
            tokens: TokenSource::Issued(Arc::new(tokens)),
            _server: Some(server),
            variables,
        }))
    }

    /// The arguments for a rerun.
    pub(super) fn rerun_args(&self) -> Vec<String> {
        let mut args = Vec::new();
        args.extend(self.auth.then(|| "--auth".to_owned()));
        let issuer = self.issuer.map(|address| ["--issuer".to_owned(), address.to_string()]);
        args.extend(issuer.into_iter().flatten());
        args.extend(self.scopes.iter().flat_map(|it| ["--issuer-scope".to_owned(), it.clone()]));
        let service = self.downstream.map(|it| ["--downstream".to_owned(), it.to_string()]);
        args.extend(service.into_iter().flatten());
        args
    }
}

/// Warns of an address that other machines can reach.
fn warn_of(address: SocketAddr) {
    if !address.ip().is_loopback() {
        output::warn(&format!(
            "other machines can reach {address}, and nothing asks them who they are"
        ));
    }
}

impl Protection {
    /// What a command that starts the server learns by variables.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        self.variables.clone()
    }

    /// The target with the tokens of the test.
    pub(super) fn of(&self, target: Target) -> Target {
        let tokens: Arc<dyn TestTokens> = match &self.tokens {
            TokenSource::Issued(tokens) => Arc::clone(tokens) as _,
            TokenSource::Given(downstream) => {
                let given = GivenTokens::new(target.tokens().clone());
                Arc::new(match downstream {
                    Some(service) => given.calling(Arc::clone(service)),
                    None => given,
                })
            }
        };
        target.protected(tokens)
    }
}
