//! OAuth: other people's libraries agree with our metadata, tokens and assertions, and the official conformance suite with our
//! authorization server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use mcp_test::oauth::{AuthorizationServer, OAuthClient};
use mcp_test_tests::program::free_port;
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::run;

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn authlib_and_joserfc_agree_with_the_authorization_server() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(AuthorizationServer::start()).expect("a free port");
    let mut command = Peers::installed().python("agree_on_oauth.py", &[server.issuer()]);
    let program = command.remove(0);
    let run = run(&program, command);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "metadata\nES256\nEdDSA\nRS256\n"),
        "{}",
        run.text(&[])
    );
}

/// The response to a GET, with its head.
fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").expect("a URL");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut connection = TcpStream::connect(host).expect("it listens");
    write!(connection, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut response = String::new();
    connection.read_to_string(&mut response).expect("a response");
    response
}

/// What the official suite prints about an authorization server at which somebody consents, and its exit code.
fn official(peers: &Peers, args: &[&str]) -> (i32, String) {
    let mut command = peers.conformance("authorization");
    command.extend(args.iter().map(|&arg| arg.to_owned()));
    let program = command.remove(0);
    let child = Command::new(program).args(command).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("it starts");
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    let mut url = String::new();
    for line in stdout.lines().map_while(Result::ok) {
        if line.trim_start().starts_with("http") && line.contains("response_type=code") {
            line.trim().clone_into(&mut url);
        }
        // The URL is printed before the redirect can be received.
        if line.starts_with("Callback server started") {
            let response = get(&url);
            let location = response.lines().find_map(|line| line.strip_prefix("location: "));
            get(location.unwrap_or_else(|| panic!("no redirect: {response}")));
        }
        text.push_str(&line);
        text.push('\n');
    }
    (child.wait().expect("it ends").code().unwrap_or(-1), text)
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_authorization_server_passes_the_official_suite() {
    let peers = Peers::installed();
    let runtime = Runtime::new().expect("a runtime");
    // A client with a secret cannot get a token there: the suite does not use the secret, since the server has clients without.
    let client = OAuthClient::public("desktop").redirect_uri("http://127.0.0.1/callback");
    let server = AuthorizationServer::builder().client(client).start();
    let server = runtime.block_on(server).expect("a free port");
    let resource = ["--resource", "https://mcp.example.com/mcp"];
    for options in [[].as_slice(), &resource, &["--spec-version", "2026-07-28"]] {
        let port = free_port().to_string();
        let args = ["--url", server.issuer(), "--client-id", "desktop", "--port", &port];
        let (code, text) = official(&peers, &[&args, options].concat());
        assert_eq!(code, 0, "{options:?}\n{text}");
        // Of the checks of metadata the second is a warning elsewhere, which counts as neither.
        for line in
            ["authorization-server-metadata-endpoint: 2 passed, 0 failed", "3 passed, 0 failed"]
        {
            assert!(text.contains(line), "{options:?}\n{text}");
        }
    }
}
