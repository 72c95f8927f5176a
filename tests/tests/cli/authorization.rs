//! `mcp-test authorization`: what it prints and writes, and authorization servers that misbehave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::program::{free_port, without_times};

use crate::program::{MCP_TEST, mcp_test};

/// The secret of the client `web`.
const SECRET: &str = "s3cret of a test";

/// A program that a failing test does not leave running.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn start(args: &[&str]) -> (Running, BufReader<impl Read + use<>>) {
    let command =
        Command::new(MCP_TEST).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut running = Running(command.expect("it starts"));
    let stdout = BufReader::new(running.0.stdout.take().expect("piped"));
    (running, stdout)
}

/// The reference authorization server, with the clients `desktop` and `web`, and its issuer.
fn reference() -> (Running, String) {
    let web = format!("web={SECRET}");
    let (server, mut stdout) = start(&[
        "reference",
        "authorization-server",
        "--listen",
        "0",
        "--client",
        "desktop",
        "--client",
        &web,
    ]);
    let mut line = String::new();
    stdout.read_line(&mut line).expect("text");
    let issuer = line.trim().strip_prefix("Issuer ").expect("an issuer").to_owned();
    (server, issuer)
}

/// The response to a GET, with its head.
pub(crate) fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").expect("a URL");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut connection = TcpStream::connect(host).expect("it listens");
    write!(connection, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut response = String::new();
    connection.read_to_string(&mut response).expect("a response");
    response
}

/// Where the response to a GET redirects.
pub(crate) fn redirect_of(url: &str) -> String {
    let response = get(url);
    let location = response.lines().find_map(|line| line.strip_prefix("location: "));
    location.unwrap_or_else(|| panic!("no redirect: {response}")).to_owned()
}

/// A browser that opens a URL and follows its redirect.
fn browse(url: &str) {
    let page = get(&redirect_of(url));
    assert!(page.contains("You can close this page"), "{page}");
}

/// What a run has printed, and its exit code.
struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Tests an authorization server, at which somebody consents.
fn sign_in(args: &[&str]) -> Ended {
    let (mut running, mut lines) = start(&[&["authorization"], args].concat());
    let mut stdout = String::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).expect("text") == 0 {
            break;
        }
        if line.starts_with("http://") {
            browse(line.trim());
        }
        stdout.push_str(&line);
    }
    let mut stderr = String::new();
    running.0.stderr.take().expect("piped").read_to_string(&mut stderr).expect("text");
    let code = running.0.wait().expect("it ends").code().unwrap_or(-1);
    Ended { code, stdout, stderr }
}

/// The text without what differs from run to run.
fn stable(text: &str, issuer: &str, port: u16) -> String {
    let text = text.replace(issuer, "[issuer]").replace(&format!("127.0.0.1:{port}"), "[callback]");
    let text = text.replace(&format!("--port {port}"), "--port [port]");
    let text = without_times(&text);
    let lines = text.lines().map(|line| match line.split_once("/authorize?") {
        Some((before, _)) => format!("{before}/authorize?[request]"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_official_scenarios_run_on_the_reference_server() {
    let (_server, issuer) = reference();
    let port = free_port();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let ended = sign_in(&[
        "--url",
        &issuer,
        "--client-id",
        "desktop",
        "--port",
        &port.to_string(),
        "--output-dir",
        &out,
        "--no-timestamps",
    ]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    let text = stable(&ended.stdout, &issuer, port).replace(&out, "[folder]");
    insta::assert_snapshot!(text, @"
    Running test (2 scenarios) against [issuer]


    === Running scenario: authorization-server-metadata-endpoint ===
    Running client scenario for authorization server 'authorization-server-metadata-endpoint' against server: [issuer]
    Results saved to [folder]/authorization-server-authorization-server-metadata-endpoint

    The redirect URI http://[callback]/callback must be registered for the client `desktop`.
    Open this URL in a browser, sign in there, and consent:
    [issuer]/authorize?[request]
    Waiting up to 290 s for the redirect …

    === Running scenario: authorization-code-grant ===
    Running client scenario for authorization server 'authorization-code-grant' against server: [issuer]
    Results saved to [folder]/authorization-server-authorization-code-grant

    === SUMMARY ===
    ✓ authorization-server-metadata-endpoint: 2 passed, 0 failed
    ✓ authorization-code-grant: 1 passed, 0 failed

    Total: 3 passed, 0 failed
    Advisory: 7 passed, 0 failed (mcp-test's own checks; they do not count in profile official)
    ");
    let checks = |scenario: &str| {
        let path = folder.path().join(format!("authorization-server-{scenario}/checks.json"));
        let text = fs::read_to_string(path).expect("the file");
        let checks: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        checks
    };
    let statuses = |scenario: &str| {
        let rows = checks(scenario);
        let rows = rows.iter().map(|row| format!("{} {}", row["status"], row["id"]));
        rows.collect::<Vec<_>>().join("\n").replace('"', "")
    };
    insta::assert_snapshot!(statuses("authorization-server-metadata-endpoint"), @"
    SUCCESS authorization-server-metadata
    SUCCESS authorization-server-metadata-cimd
    ");
    let grant = checks("authorization-code-grant");
    assert_eq!((grant.len(), &grant[0]["status"]), (1, &"SUCCESS".into()), "{grant:?}");
    let body = &grant[0]["details"]["body"];
    assert_eq!(
        (&body["token_type"], &body["access_token"]),
        (&"Bearer".into(), &"[secret]".into())
    );
}

#[test]
fn our_own_scenarios_need_no_client_and_nobody_where_no_page_is_shown() {
    let (_server, issuer) = reference();
    let port = free_port().to_string();
    let args = ["--url", &issuer, "--profile", "adaptive", "--port", &port];
    let run = mcp_test([&["authorization"], &args[..]].concat());
    let text = run.text(&[]);
    assert_eq!(run.code, 0, "{text}");
    assert!(!text.contains("consent"), "{text}");
    let named = ["--scenario", "authorization-*", "--verbose"];
    let run = mcp_test([&["authorization"], &args[..], &named].concat());
    let text = run.text(&[]);
    assert_eq!(run.code, 0, "{text}");
    for id in ["authorization-code-client", "redirect-uri-matched", "client-document-cached"] {
        assert!(text.contains(id), "{id}\n{text}");
    }
}

#[test]
fn a_file_has_the_settings_and_no_output_has_the_secret() {
    let (_server, issuer) = reference();
    let port = free_port();
    let folder = tempfile::tempdir().expect("a folder");
    let settings = serde_json::json!({
        "url": issuer,
        "scenario": "authorization-code-grant",
        "clientId": "web",
        "clientSecret": SECRET,
        "resource": "https://mcp.example.com/mcp",
        "port": port,
    });
    let path = folder.path().join("settings.json");
    fs::write(&path, settings.to_string()).expect("the folder is ours");
    let path = path.to_string_lossy();
    let ended = sign_in(&["--file", &path, "--profile", "strict", "--verbose"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(&format!("127.0.0.1:{port}/callback")), "{}", ended.stdout);
    let everything = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!everything.contains(SECRET), "{everything}");
}

#[test]
fn the_exit_code_says_what_was_wrong() {
    let (_server, issuer) = reference();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().map(|address| (address.port().to_string(), taken));
    let (taken, _listener) = taken.expect("an address");
    let closed = format!("http://127.0.0.1:{}", free_port());
    let (free, client) = (free_port().to_string(), ["--client-id", "desktop"]);
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--url", &issuer, "--port", "0"], 2, "--port"),
        (&["--url", &closed], 3, "the authorization server cannot be reached"),
        (&["--url", &[&issuer, "/other"].concat()], 1, "publishes no metadata"),
        (
            &[&["--url", &issuer, "--port", &taken], &client[..]].concat(),
            3,
            "`--port` chooses another",
        ),
        (
            &[&["--url", &issuer, "--timeout", "1s", "--port", &free], &client[..]].concat(),
            1,
            "did not redirect to the redirect URI in time",
        ),
        (&["--url", &issuer, "--scenario", "authorization-code-grant"], 3, "requires --client-id"),
    ];
    for (args, code, expected) in cases {
        let run = mcp_test([&["authorization"], args].concat());
        let text = run.text(&[]);
        assert_eq!(run.code, code, "{args:?}\n{text}");
        assert!(text.contains(expected), "{args:?}\n{text}");
    }
}

#[test]
fn ctrl_c_ends_the_wait() {
    let (_server, issuer) = reference();
    let port = free_port().to_string();
    let args = ["authorization", "--url", &issuer, "--client-id", "desktop", "--port", &port];
    let (mut running, mut lines) = start(&args);
    let mut line = String::new();
    while !line.starts_with("http://") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("text"), 0, "no URL");
    }
    let kill = Command::new("kill").args(["-INT", &running.0.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(running.0.wait().expect("it ends").code(), Some(130));
}

#[test]
fn the_scenarios_are_listed() {
    let run = mcp_test(["list", "--authorization"]);
    insta::assert_snapshot!(run.text(&[]), @"
    Authorization server scenarios (test against an authorization server):
      - authorization-server-metadata-endpoint [2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - authorization-code-grant [2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - authorization-code-exchange [2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - authorization-redirect-uris [2025-06-18,2025-11-25,2026-07-28]
      - authorization-refresh-tokens [2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - authorization-audience [2025-06-18,2025-11-25,2026-07-28]
      - authorization-registration [2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - authorization-client-documents [2025-11-25,2026-07-28]
      - authorization-client-credentials [2025-11-25,2026-07-28]
    ");
    let all = mcp_test(["list"]).text(&[]);
    assert!(all.ends_with(&run.text(&[])), "{all}");
}

/// What a hostile server does with a connection.
type Answers = fn(&mut TcpStream, port: u16);

/// A server that does this with each connection, until the test ends; its issuer.
fn hostile(answers: Answers) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            thread::spawn(move || {
                let head = BufReader::new(&mut connection).lines().map_while(Result::ok);
                head.take_while(|line| !line.is_empty()).for_each(drop);
                answers(&mut connection, port);
                connection.shutdown(Shutdown::Both).ok();
            });
        }
    });
    format!("http://127.0.0.1:{port}")
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/// Answers nothing.
const SILENT: Answers = |connection, _| {
    let mut rest = [0; 1];
    connection.read_exact(&mut rest).ok();
};

#[test]
fn a_silent_server_is_not_awaited_by_every_scenario() {
    let issuer = hostile(SILENT);
    let stopwatch = Stopwatch::start();
    let args = ["authorization", "--url", &issuer, "--client-id", "a", "--timeout", "2s"];
    let run = mcp_test([&args[..], &["--profile", "adaptive", "--verbose"]].concat());
    let text = run.text(&[]);
    assert_eq!(run.code, 1, "{text}");
    assert!(text.contains("did not answer in time before"), "{text}");
    assert!(stopwatch.elapsed() < Duration::from_secs(8), "{:?}\n{text}", stopwatch.elapsed());
}

#[test]
fn hostile_servers_are_bounded() {
    let endless: Answers = |connection, _| {
        // Nothing more comes from the client, so that each read takes its time-out.
        connection.set_read_timeout(Some(Duration::from_millis(20))).expect("a time-out");
        if write!(connection, "{HEAD}\r\n{{").is_ok() {
            let mut more = [0; 1];
            while connection.write_all(b" ").is_ok() {
                connection.read_exact(&mut more).ok();
            }
        }
    };
    let huge: Answers = |connection, _| {
        let chunk = vec![b'x'; 1 << 20];
        let written = write!(connection, "{HEAD}Content-Length: 104857600\r\n\r\n\"");
        if written.is_ok() {
            (0..100).try_for_each(|_| connection.write_all(&chunk)).ok();
        }
    };
    let circle: Answers = |connection, port| {
        let location = format!("http://127.0.0.1:{port}/.well-known/oauth-authorization-server");
        write!(
            connection,
            "HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        )
        .ok();
    };
    let elsewhere: Answers = |connection, _| {
        connection
            .write_all(
                b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
            )
            .ok();
    };
    let deep: Answers = |connection, _| {
        write!(connection, "{HEAD}\r\n{}", "[".repeat(500_000)).ok();
    };
    let escapes: Answers = |connection, _| {
        write!(connection, "{HEAD}\r\n{{\"issuer\": \"\\u001b[31m\\u202e\", \"authorization_endpoint\": \"javascript:x\", \"token_endpoint\": \"http://192.0.2.1/\", \"response_types_supported\": [\"code\"], \"code_challenge_methods_supported\": [\"S256\"]}}").ok();
    };
    for (answers, expected) in [
        (SILENT, "does not answer"),
        (endless, "does not answer"),
        (huge, "larger than 1 MiB"),
        (circle, "HTTP 302 at"),
        (elsewhere, "HTTP 302 at"),
        (deep, "not a JSON object"),
        (escapes, "`issuer` is not the issuer"),
    ] {
        let issuer = hostile(answers);
        let stopwatch = Stopwatch::start();
        let args = ["authorization", "--url", &issuer, "--client-id", "a", "--timeout", "2s"];
        let run = mcp_test(args);
        let text = run.text(&[]);
        assert_eq!(run.code, 1, "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        // Two scenarios, each of which may outlast its time-out by two seconds.
        assert!(
            stopwatch.elapsed() < Duration::from_secs(8),
            "{expected}: {:?}",
            stopwatch.elapsed()
        );
    }
}
