//! `mcp-test reference authorization-server`: what it prints and serves, and its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::program::{MCP_TEST, mcp_test};

/// A server that a failing test does not leave running.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn it_prints_its_issuer_and_serves_until_interrupted() {
    let options =
        ["reference", "authorization-server", "--listen", "0", "--scope", "a", "--scope", "b"];
    let child = Command::new(MCP_TEST).args(options).stdout(Stdio::piped()).spawn();
    let mut serving = Serving(child.expect("it starts"));
    let mut line = String::new();
    let stdout = serving.0.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("text");
    let issuer = line.trim().strip_prefix("Issuer ").expect("an issuer");
    let host = issuer.strip_prefix("http://").expect("a URL");
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    let mut connection = TcpStream::connect(host).expect("it listens");
    write!(
        connection,
        "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .expect("it reads");
    let mut response = String::new();
    connection.read_to_string(&mut response).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let metadata: serde_json::Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(metadata["issuer"], issuer);
    assert_eq!(metadata["scopes_supported"], serde_json::json!(["a", "b"]));
    let kill = Command::new("kill").args(["-INT", &serving.0.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(serving.0.wait().expect("it ends").code(), Some(130));
}

/// A server with these options, its address, and what it answers to a request.
fn answer(options: &[&str], request: impl Fn(&str) -> String) -> String {
    let command = ["reference", "authorization-server", "--listen", "0"];
    let child = Command::new(MCP_TEST).args(command).args(options).stdout(Stdio::piped()).spawn();
    let mut serving = Serving(child.expect("it starts"));
    let mut line = String::new();
    let stdout = serving.0.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("text");
    let host = line.trim().strip_prefix("Issuer http://").expect("an issuer");
    let mut connection = TcpStream::connect(host).expect("it listens");
    connection.write_all(request(host).as_bytes()).expect("it reads");
    let mut response = String::new();
    connection.read_to_string(&mut response).expect("a response");
    response
}

#[test]
fn options_change_tokens_and_metadata() {
    let form = "grant_type=client_credentials&client_id=service&client_secret=s3cret";
    let token = |host: &str| {
        format!(
            "POST /token HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        )
    };
    let options = ["--client", "service=s3cret", "--token-lifetime", "7s", "--dpop-nonces"];
    let response = answer(&options, token);
    assert!(response.contains("\"expires_in\":7"), "{response}");
    let metadata = |host: &str| {
        format!(
            "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
    };
    let announced = "client_id_metadata_document_supported";
    assert!(answer(&[], metadata).contains(announced));
    assert!(!answer(&["--no-client-documents"], metadata).contains(announced));
    let wrong = mcp_test([
        "reference",
        "authorization-server",
        "--listen",
        "0",
        "--token-lifetime",
        "1500ms",
    ]);
    assert_eq!(wrong.code, 2, "{}", wrong.text(&[]));
    assert!(wrong.text(&[]).contains("expected whole seconds"), "{}", wrong.text(&[]));
}

#[test]
fn it_needs_an_address_that_can_be_listened_on() {
    let without = mcp_test(["reference", "authorization-server"]);
    assert_eq!(without.code, 2, "{}", without.text(&[]));
    // An address of a documentation network, which no machine has (RFC 5737).
    let elsewhere = mcp_test(["reference", "authorization-server", "--listen", "192.0.2.1:0"]);
    assert_eq!(elsewhere.code, 3, "{}", elsewhere.text(&[]));
    assert!(
        elsewhere.text(&[]).contains("cannot listen at 192.0.2.1:0"),
        "{}",
        elsewhere.text(&[])
    );
}
