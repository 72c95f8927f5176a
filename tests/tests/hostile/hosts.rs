//! Requests that name another host than the server's, as those of a web page do whose name was made to lead to this machine.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};

use mcp_test_tests::program::Serving;

use crate::clients::INITIALIZE;

/// Starts a command that serves at an address.
fn serve(args: &[&str], address: &str, hosts: &[&str]) -> Serving {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.args(args).args(["--listen", address]).stderr(Stdio::null());
    command.args(hosts.iter().flat_map(|host| ["--allow-host", host]));
    Serving::start(command)
}

/// The HTTP status of a request that names these hosts.
fn status(serving: &Serving, host: &str, origin: Option<&str>) -> String {
    let bound: SocketAddr = serving.address().parse().expect("an address");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, bound.port()));
    let mut socket = TcpStream::connect(address).expect("it listens");
    let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
    let length = INITIALIZE.len();
    write!(
        socket,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{INITIALIZE}"
    )
    .expect("it reads");
    let mut response = String::new();
    socket.read_to_string(&mut response).expect("it answers");
    response.split(' ').nth(1).unwrap_or("nothing").to_owned()
}

#[test]
fn only_hosts_that_were_allowed_are_answered() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/example.yaml");
    let commands: [(&str, &[&str]); 2] = [
        ("reference server", &["reference", "server"]),
        ("cases serve", &["cases", "serve", cases]),
    ];
    let mut table = String::new();
    for (name, command) in commands {
        for (address, allowed) in
            [("127.0.0.1:0", &[][..]), ("0.0.0.0:0", &[]), ("0.0.0.0:0", &["mocks.example"])]
        {
            let serving = serve(command, address, allowed);
            let requests = [
                ("localhost", None),
                ("127.0.0.1:80", None),
                ("mocks.example:80", None),
                ("mocks.example", Some("https://mocks.example")),
                ("mocks.example", Some("https://evil.example")),
                ("evil.example", None),
                ("localhost", Some("https://evil.example")),
                ("0.0.0.0", None),
            ];
            writeln!(table, "{name} --listen {address} {}", allowed.concat()).expect("a string");
            for (host, origin) in requests {
                let status = status(&serving, host, origin);
                let origin = origin.map(|origin| format!(" from {origin}")).unwrap_or_default();
                writeln!(table, "  {status} {host}{origin}").expect("a string");
            }
            serving.end();
        }
    }
    insta::assert_snapshot!(table, @"
    reference server --listen 127.0.0.1:0 
      200 localhost
      200 127.0.0.1:80
      403 mocks.example:80
      403 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    reference server --listen 0.0.0.0:0 
      200 localhost
      200 127.0.0.1:80
      403 mocks.example:80
      403 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    reference server --listen 0.0.0.0:0 mocks.example
      200 localhost
      200 127.0.0.1:80
      200 mocks.example:80
      200 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    cases serve --listen 127.0.0.1:0 
      200 localhost
      200 127.0.0.1:80
      403 mocks.example:80
      403 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    cases serve --listen 0.0.0.0:0 
      200 localhost
      200 127.0.0.1:80
      403 mocks.example:80
      403 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    cases serve --listen 0.0.0.0:0 mocks.example
      200 localhost
      200 127.0.0.1:80
      200 mocks.example:80
      200 mocks.example from https://mocks.example
      403 mocks.example from https://evil.example
      403 evil.example
      403 localhost from https://evil.example
      403 0.0.0.0
    ");
}
