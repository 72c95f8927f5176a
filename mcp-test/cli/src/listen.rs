//! Serving over HTTP until a signal arrives; what is served is not decided here.

use std::net::SocketAddr;

use mcp_test_core::server::Server;

use super::error::CliError;
use super::output;

/// Listens at an address, for requests to these hosts and to this machine, until the future is dropped.
pub(super) async fn listen(
    server: Server,
    address: SocketAddr,
    hosts: &[String],
) -> Result<(), CliError> {
    let server = hosts.iter().fold(server, Server::allow_host);
    let listening =
        server.listen(address).await.map_err(|source| CliError::Listen { address, source })?;
    if let Some(warning) = warning(listening.address(), hosts) {
        output::warn(&warning);
    }
    // On standard output, so that a script can read the URL, in which port 0 has become the real one.
    output::print(&format!("Listening on {}\n", listening.url()))?;
    // The server runs until a signal drops this future.
    std::future::pending().await
}

/// What the user should know of an address that other machines can reach.
pub(super) fn warning(address: SocketAddr, hosts: &[String]) -> Option<String> {
    let ip = address.ip();
    if ip.is_loopback() {
        return None;
    }
    let own = (!ip.is_unspecified()).then(|| ip.to_string());
    let answered: Vec<String> =
        ["localhost".to_owned()].into_iter().chain(own).chain(hosts.iter().cloned()).collect();
    Some(format!(
        "other machines can reach {address}, and nothing asks them who they are\n\
         \x20 requests to these hosts are answered: {}\n\
         \x20 add `--allow-host HOST` for each other name or address by which clients reach this one",
        answered.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_that_other_machines_reach_is_warned_of() {
        let warned = |address: &str, hosts: &[String]| warning(address.parse().unwrap(), hosts);
        assert_eq!(warned("127.0.0.1:3000", &[]), None);
        assert_eq!(warned("[::1]:3000", &[]), None);
        insta::assert_snapshot!(warned("0.0.0.0:3000", &["mocks.example".to_owned()]).unwrap(), @"
        other machines can reach 0.0.0.0:3000, and nothing asks them who they are
          requests to these hosts are answered: localhost, mocks.example
          add `--allow-host HOST` for each other name or address by which clients reach this one
        ");
        insta::assert_snapshot!(warned("10.0.0.1:3000", &[]).unwrap(), @"
        other machines can reach 10.0.0.1:3000, and nothing asks them who they are
          requests to these hosts are answered: localhost, 10.0.0.1
          add `--allow-host HOST` for each other name or address by which clients reach this one
        ");
    }
}
