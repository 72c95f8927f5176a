//! `--sign-in` and the question at a terminal: which hosts are contacted, what a person does, and that no token is shown anywhere.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test::oauth::{AuthorizationServer, OAuthClient};
use mcp_test::scenario::Profile;
use mcp_test::transport::Target;
use mcp_test_core::process::create_executable;
use mcp_test_core::run::{ExitCode, Plan, Selection};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::report_options;
use nix::pty::{Winsize, openpty};

use crate::authorization::{get, redirect_of};
use crate::program::{MCP_TEST, mcp_test};
use crate::protected::{Demand, Protected};

/// The answer that allows to sign in.
const SIGN_IN: (&str, &str) = ("Sign in there?", "y");

/// What a browser does with the URL of an authorization request.
#[derive(Clone, Copy)]
enum Browser {
    /// It consents, and follows the redirect.
    Consents,
    /// It follows the redirect with this text instead of the other one.
    Changes(&'static str, &'static str),
    /// It does nothing.
    Closed,
}

impl Browser {
    fn open(self, url: &str) {
        let location = match self {
            Self::Closed => return,
            Self::Consents => redirect_of(url),
            Self::Changes(from, to) => {
                let location = redirect_of(url);
                assert!(location.contains(from), "{location}");
                location.replace(from, to)
            }
        };
        let page = get(&location);
        assert!(page.contains("You can close this page"), "{page}");
    }
}

/// What a run has printed.
struct Ended {
    code: i32,
    stdout: String,
    /// Standard error, or what was shown on the terminal instead.
    shown: String,
}

impl Ended {
    fn text(&self) -> String {
        format!("{}{}", self.stdout, self.shown)
    }
}

/// A program that a failing test does not leave running.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Sends what is read, piece by piece.
fn pieces(mut from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // Linux reports an error, not an end, when nobody holds the other side of a terminal any more.
        while let Ok(1..) = from.read(&mut buffer).inspect(|count| {
            let text = String::from_utf8_lossy(&buffer[..*count]).into_owned();
            sender.send(text).ok();
        }) {}
    });
    receiver
}

/// Runs a command to its end: answers those of its questions that have one of these texts, and has a browser open the URLs that it prints on standard error.
fn drive(mut command: Command, terminal: Option<&[(&str, &str)]>, browser: Browser) -> Ended {
    command.env("NO_COLOR", "1").env_remove("GITHUB_ACTIONS").env_remove("CI");
    command.stdout(Stdio::piped());
    let mut keyboard = None;
    let mut master: Option<OwnedFd> = None;
    if terminal.is_some() {
        let size = Winsize { ws_row: 50, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).expect("a terminal");
        command.stdin(pty.slave.try_clone().expect("a terminal")).stderr(pty.slave);
        keyboard = Some(File::from(pty.master.try_clone().expect("a terminal")));
        master = Some(pty.master);
    } else {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
    }
    let mut running = Running(command.spawn().expect("it starts"));
    // It holds the terminal, which would otherwise never end.
    drop(command);
    let mut stdout = BufReader::new(running.0.stdout.take().expect("piped"));
    let output = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).expect("text");
        text
    });
    let pieces = match master {
        Some(master) => pieces(File::from(master)),
        None => pieces(running.0.stderr.take().expect("piped")),
    };
    let answers = terminal.unwrap_or_default();
    let (mut shown, mut read) = (String::new(), 0);
    while let Ok(piece) = pieces.recv_timeout(Duration::from_secs(60)) {
        shown.push_str(&piece);
        while let Some(end) = shown[read..].find(['\n', ']']).map(|at| read + at + 1) {
            let begin = shown[..read].rfind('\n').map_or(0, |at| at + 1);
            let line = shown[begin..end].trim().to_owned();
            read = end;
            let answer = answers.iter().find(|(question, _)| line.contains(question));
            if let (true, Some((_, answer))) = (shown[..end].ends_with("[y/N]"), answer)
                && let Some(keyboard) = &mut keyboard
            {
                writeln!(keyboard, "{answer}").expect("a terminal");
            } else if line.starts_with("http://") && line.contains("/authorize?") {
                browser.open(&line);
            }
        }
    }
    let code = running.0.wait().expect("it ends").code().unwrap_or(-1);
    Ended { code, stdout: output.join().expect("text"), shown: shown.replace('\r', "") }
}

fn check(url: &str, more: &[&str]) -> Command {
    let mut command = Command::new(MCP_TEST);
    let common = ["--spec-version", "2025-11-25", "--scenario", "ping", "--scenario", "tools-list"];
    command.args(["check", "--url", url, "--jobs", "1"]).args(common).args(more);
    command
}

/// What is shown, without what differs from run to run, and without the status line.
fn stable(shown: &str, server: &Protected) -> String {
    let host = |url: &str| url.split('/').nth(2).unwrap_or_default().to_owned();
    let (server_host, issuer) = (host(&server.url), server.authorization.issuer().to_owned());
    let text = shown.replace(&server_host, "[server]").replace(&host(&issuer), "[issuer]");
    let lines = text.lines().map(|line| {
        // What is written after the status line was cleared.
        let line = line.rsplit("\u{1b}[2K").next().unwrap_or_default();
        match line.split_once("/authorize?") {
            Some((before, _)) => format!("{before}/authorize?[request]"),
            None => match line.split_once("http://127.0.0.1:") {
                Some((before, rest)) => {
                    format!("{before}[callback]{}", rest.trim_start_matches(char::is_numeric))
                }
                None => line.to_owned(),
            },
        }
    });
    let lines = lines.filter(|line| !line.starts_with("detecting") && !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts that no token of the server is in what was printed, or in a file.
#[track_caller]
fn assert_no_token(server: &Protected, ended: &Ended, folder: Option<&Path>) {
    let mut texts = vec![("output".to_owned(), ended.text())];
    folder.into_iter().for_each(|folder| texts.extend(files(folder)));
    for token in server.tokens() {
        // The signature alone is as good as the token to somebody who guesses the rest.
        let parts = token.split('.').map(str::to_owned).chain([token.clone()]);
        for part in parts.filter(|part| part.len() > 60) {
            for (place, text) in &texts {
                assert!(!text.contains(&part), "{place} shows a token:\n{text}");
            }
        }
    }
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let texts = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => {
            let text = fs::read(&path).expect("a file");
            let text = String::from_utf8_lossy(&text).into_owned();
            vec![(path.display().to_string(), text)]
        }
    });
    texts.collect()
}

#[test]
fn at_a_terminal_one_question_names_the_hosts() {
    let server = Protected::new(Demand::Token);
    let ended = drive(check(&server.url, &[]), Some(&[SIGN_IN]), Browser::Consents);
    let shown = stable(&ended.shown, &server);
    // The browser may be faster than the question.
    let shown: Vec<&str> = shown.lines().filter(|line| !line.starts_with("Open it")).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    http://[server]/mcp demands authorization, and names the authorization server http://[issuer]
    Sign in there? mcp-test will contact [server] and [issuer]. [y/N] y
    Open this URL in a browser, sign in there, and consent:
    http://[issuer]/authorize?[request]
    Waiting up to 300 s for the redirect to [callback]/callback …
    ");
    assert!(!server.tokens().is_empty(), "{}", ended.text());
    // `ping` repeats the token, which is not allowed: so it is shown, and masked.
    assert_eq!(ended.code, 1, "{}", ended.text());
    assert!(ended.stdout.contains("[secret]"), "{}", ended.text());
    assert_no_token(&server, &ended, None);
}

#[test]
fn a_refusal_contacts_nobody() {
    let server = Protected::new(Demand::Token);
    for answer in ["n", "", "yes please"] {
        let ended = drive(check(&server.url, &[]), Some(&[(SIGN_IN.0, answer)]), Browser::Consents);
        assert_eq!(ended.code, 3, "{}", ended.text());
        assert!(ended.shown.contains("and nobody has"), "{}", ended.text());
        assert_eq!(server.asked_for_authorization(), 0, "{}", ended.text());
    }
}

#[test]
fn without_a_terminal_the_message_says_what_to_do() {
    let server = Protected::new(Demand::Token);
    let ended = drive(check(&server.url, &[]), None, Browser::Consents);
    assert_eq!(ended.code, 3, "{}", ended.text());
    insta::assert_snapshot!(stable(&ended.shown, &server), @"
    error: cannot test `http://[server]/mcp`: `initialize` was refused with HTTP 401
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 401, an empty body
      hint: the server demands authorization: `--sign-in` gets a token, `--token` or `--header` sends
        one that you have; in Rust `Target::bearer_token` or `Target::header`
    ");
    assert_eq!(server.asked_for_authorization(), 0, "{}", ended.text());
}

#[test]
fn no_token_is_in_anything_that_is_written() {
    let server = Protected::new(Demand::Token);
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "sign-in-writes");
    let (out, cases, trace) =
        (folder.word("out"), folder.word("cases.yaml"), folder.word("trace.jsonl"));
    let reports = report_options(folder.path());
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    for (format, recording) in [("human", &cases), ("json", &trace)] {
        let options = ["--sign-in", "-o", &out, "--format", format, "--record", recording];
        let options = [&options[..], &["--verbose"], &reports].concat();
        let ended = drive(check(&server.url, &options), None, Browser::Consents);
        assert_eq!(ended.code, 1, "{}", ended.text());
        assert!(ended.text().contains("[secret]"), "{}", ended.text());
        assert_no_token(&server, &ended, Some(folder.path()));
        let rerun = ended.stdout.lines().find(|line| line.contains("Rerun: "));
        assert!(rerun.is_none_or(|line| line.contains("--sign-in")), "{}", ended.text());
    }
    let written = files(folder.path());
    for name in ["checks.json", "summary.json", "report.junit", "cases.yaml", "trace.jsonl"] {
        assert!(written.iter().any(|(path, _)| path.ends_with(name)), "no {name}: {written:?}");
    }
    let saved = folder.word("saved.rs");
    let mut explore = Command::new(MCP_TEST);
    explore.args([
        "explore",
        "--url",
        &server.url,
        "--sign-in",
        "--call",
        "all",
        "--max-calls",
        "5",
    ]);
    explore.args(["--save-tests", &saved, "--save-cases", &folder.word("saved.yaml")]);
    let ended = drive(explore, None, Browser::Consents);
    assert_no_token(&server, &ended, Some(folder.path()));
}

#[test]
fn every_request_of_a_run_has_the_token() {
    let server = Protected::new(Demand::Token);
    let mut command = Command::new(MCP_TEST);
    command.args(["check", "--url", &server.url, "--sign-in"]);
    let ended = drive(command, None, Browser::Consents);
    let (without, with) = server.counts();
    assert!(with > 200 && without == 0, "{with} with, {without} without\n{}", ended.text());
    assert_eq!(ended.shown.matches("Open this URL").count(), 1, "{}", ended.text());
    assert_no_token(&server, &ended, None);
}

#[test]
fn a_token_is_renewed_without_another_consent() {
    let server = Protected::new(Demand::Fresh(6));
    let ended = drive(check(&server.url, &["--sign-in"]), None, Browser::Consents);
    assert_eq!(ended.code, 1, "{}", ended.text());
    assert!(server.tokens().len() > 1, "{}", ended.text());
    assert_eq!(ended.shown.matches("Open this URL").count(), 1, "{}", ended.text());
    assert_no_token(&server, &ended, None);
}

#[test]
fn further_scopes_are_asked_for() {
    let server = Protected::new(Demand::OneScope);
    let ended =
        drive(check(&server.url, &[]), Some(&[SIGN_IN, ("Ask for them?", "y")]), Browser::Consents);
    assert_eq!(ended.code, 1, "{}", ended.text());
    assert!(
        ended.shown.contains("The server demands more scopes: first second"),
        "{}",
        ended.text()
    );

    let server = Protected::new(Demand::OneScope);
    let ended =
        drive(check(&server.url, &[]), Some(&[SIGN_IN, ("Ask for them?", "n")]), Browser::Consents);
    assert_eq!(ended.code, 3, "{}", ended.text());
}

#[test]
fn what_a_server_demands_for_ever_ends() {
    for (demand, consents, why) in [
        (Demand::EndlessScopes, 3, "the server demands further scopes each time"),
        (Demand::SameScope, 1, "scopes that its token was requested with: `first`"),
        (Demand::Nothing, 1, "the server refuses the token that it was given"),
    ] {
        let server = Protected::new(demand);
        let ended = drive(check(&server.url, &["--sign-in"]), None, Browser::Consents);
        let text = ended.text();
        assert_eq!(ended.code, 3, "{demand:?}: {text}");
        assert!(ended.shown.contains(why), "{demand:?}: {text}");
        assert_eq!(ended.shown.matches("Open this URL").count(), consents, "{demand:?}: {text}");
        assert_no_token(&server, &ended, None);
    }
}

#[test]
fn the_response_of_another_request_or_server_is_refused() {
    for (from, to, why) in [
        ("state=", "state=x", "another `state`"),
        ("iss=http", "iss=https", "another issuer"),
        ("iss=", "is=", "does not say of which"),
        ("code=", "error=access_denied&x=", "refused: access_denied"),
        ("code=", "x=", "no `code`"),
    ] {
        let server = Protected::new(Demand::Token);
        let browser = Browser::Changes(from, to);
        let ended = drive(check(&server.url, &["--sign-in"]), None, browser);
        assert_eq!(ended.code, 3, "{from}: {}", ended.text());
        assert!(ended.shown.contains(why), "{from}: {}", ended.text());
        assert_eq!(server.tokens().len(), 0, "{from}: {}", ended.text());
    }
}

/// An authorization server with these metadata, in which `ISSUER` is its issuer; until the test ends.
fn hostile(metadata: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let issuer = format!("http://{}", listener.local_addr().expect("an address"));
    let body = metadata.replace("ISSUER", &issuer);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            let head = BufReader::new(&mut connection).lines().map_while(Result::ok);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            let length = body.len();
            write!(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}").ok();
        }
    });
    issuer
}

#[test]
fn a_hostile_authorization_server_is_not_followed() {
    const PKCE: &str = r#""code_challenge_methods_supported": ["S256"], "client_id": "a""#;
    for (endpoints, why) in [
        (r#""authorization_endpoint": "javascript:alert(1)""#, "`javascript:alert(1)"),
        (r#""authorization_endpoint": "file:///etc/passwd""#, "`file:///etc/passwd"),
        (r#""authorization_endpoint": "http://192.0.2.1/authorize""#, "`http://192.0.2.1"),
        (r#""authorization_endpoint": "\u001b[31m\u202e""#, "is not a URL of https"),
        (r#""registration_endpoint": "ftp://192.0.2.1/""#, "`ftp://192.0.2.1"),
        (r#""issuer": "https://other.example""#, "another issuer"),
    ] {
        let registration = match endpoints.contains("registration_endpoint") {
            true => "",
            false => r#""registration_endpoint": "ISSUER/register","#,
        };
        let own = match endpoints.contains("issuer\"") {
            true => "",
            false => r#""issuer": "ISSUER","#,
        };
        let metadata = format!("{{{own}{registration}{endpoints}, {PKCE}}}");
        let issuer = hostile(metadata.leak());
        let server = Protected::naming(Demand::Token, issuer);
        let options = ["--sign-in", "--open-browser"];
        let mut command = check(&server.url, &options);
        // Nothing may be opened.
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "sign-in-hostile");
        let opened = opener(&folder, &mut command);
        let ended = drive(command, None, Browser::Closed);
        assert_eq!(ended.code, 3, "{endpoints}: {}", ended.text());
        assert!(ended.shown.contains(why), "{endpoints}: {}", ended.text());
        assert!(!ended.text().contains(['\u{1b}', '\u{202e}']), "{}", ended.text());
        assert!(!Path::new(&opened).exists(), "{endpoints}");
    }
}

/// Puts a program in place of the opener of the system, which writes its argument to the file whose name is returned.
fn opener(folder: &Folder, command: &mut Command) -> String {
    let opened = folder.word("opened");
    let program = folder.path().join("xdg-open");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$1\" > '{opened}.new'\nmv '{opened}.new' '{opened}'\n"
    );
    create_executable(&program, &script).expect("it is created");
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    opened
}

#[test]
#[cfg(target_os = "linux")]
fn a_browser_is_opened_if_the_user_said_so() {
    for (options, answers) in [
        (&["--sign-in", "--open-browser"][..], None),
        (&[][..], Some(&[SIGN_IN, ("Open it", "y")][..])),
    ] {
        let server = Protected::new(Demand::Token);
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "sign-in-opens");
        let mut command = check(&server.url, options);
        let opened = opener(&folder, &mut command);
        let name = opened.clone();
        let browser = thread::spawn(move || {
            let stopwatch = Stopwatch::start();
            while stopwatch.elapsed() < Duration::from_secs(30) {
                if let Ok(url) = fs::read_to_string(&name) {
                    return Browser::Consents.open(url.trim());
                }
                thread::yield_now();
            }
            panic!("nothing was opened");
        });
        let ended = drive(command, answers, Browser::Closed);
        browser.join().expect("it was opened");
        assert_eq!(ended.code, 1, "{}", ended.text());
        assert!(!server.tokens().is_empty(), "{}", ended.text());
    }
}

#[test]
fn a_silent_authorization_server_takes_no_longer_than_the_time_out() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let issuer = format!("http://{}", silent.local_addr().expect("an address"));
    let server = Protected::naming(Demand::Token, issuer);
    let stopwatch = Stopwatch::start();
    let ended = drive(check(&server.url, &["--sign-in", "--timeout", "2s"]), None, Browser::Closed);
    assert_eq!(ended.code, 3, "{}", ended.text());
    assert!(ended.shown.contains("no response within "), "{}", ended.text());
    assert!(stopwatch.elapsed() < Duration::from_secs(10), "{:?}", stopwatch.elapsed());
}

#[test]
fn ctrl_c_ends_the_wait_for_a_browser() {
    let server = Protected::new(Demand::Token);
    let mut command = check(&server.url, &["--sign-in"]);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().expect("it starts"));
    let lines = BufReader::new(running.0.stderr.take().expect("piped")).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.contains("/authorize?")), "no URL");
    let kill = Command::new("kill").args(["-INT", &running.0.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(running.0.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_client_that_is_registered_already_is_used() {
    let client = OAuthClient::confidential("web", "s3cret of a test");
    let client = client.redirect_uri("http://127.0.0.1/callback");
    let server = Protected::with(Demand::Token, AuthorizationServer::builder().client(client));
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "sign-in-client");
    let recorded = folder.word("recorded.yaml");
    let client = ["--sign-in", "--client-id", "web", "--client-secret", "s3cret of a test"];
    let ended = drive(
        check(&server.url, &[&client[..], &["--record", &recorded]].concat()),
        None,
        Browser::Consents,
    );
    assert_eq!(ended.code, 1, "{}", ended.text());
    assert!(ended.shown.contains("client_id=web&"), "{}", ended.text());
    assert!(!ended.text().contains("s3cret"), "{}", ended.text());
    let mut cases = Command::new(MCP_TEST);
    cases.args(["cases", "run", &recorded, "--url", &server.url]).args(client);
    let ended = drive(cases, None, Browser::Consents);
    assert!(matches!(ended.code, 0 | 1), "{}", ended.text());
    assert!(ended.stdout.contains("2 cases"), "{}", ended.text());
    assert_no_token(&server, &ended, Some(folder.path()));
}

#[test]
fn a_test_in_rust_signs_in_without_a_browser() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let exit = |server: &Protected, authorization: &AuthorizationServer| {
        let target = Target::url(&server.url).signing_in_at(authorization);
        let scenarios = vec!["server-initialize".to_owned()];
        let selection = Selection { scenarios, ..Selection::default() };
        let plan =
            Plan::build(mcp_test_suite::scenarios::all(), target, Profile::Adaptive, &selection)
                .expect("a plan");
        runtime.block_on(mcp_test_core::run::run(&plan, &mut |_| {})).exit
    };
    let server = Protected::new(Demand::Token);
    assert_eq!(exit(&server, &server.authorization), ExitCode::Passed);
    assert!(!server.tokens().is_empty());

    let (server, other) = (Protected::new(Demand::Token), Protected::new(Demand::Token));
    assert_eq!(exit(&server, &other.authorization), ExitCode::NotRun);
    assert_eq!(server.asked_for_authorization() + other.asked_for_authorization(), 0);
}

#[test]
fn a_token_that_was_given_is_sent() {
    let server = Protected::new(Demand::Token);
    let token = server.authorization.issue_token(&server.url, ["first"]).expect("a token");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "sign-in-token");
    fs::write(folder.path().join("token"), format!("{token}\n")).expect("it can be written");
    let file = format!("user=@{}", folder.word("token"));
    for option in [token.as_str(), &file, "${MCP_TEST_TESTS_TOKEN}"] {
        let mut command = check(&server.url, &["--token", option, "--token", "expired=hunter2222"]);
        command.env("MCP_TEST_TESTS_TOKEN", &token);
        let ended = drive(command, None, Browser::Closed);
        assert_eq!(ended.code, 1, "{}", ended.text());
        assert_eq!(server.tokens(), std::slice::from_ref(&token), "{}", ended.text());
        assert!(!ended.text().contains("hunter2222"), "{}", ended.text());
        assert_no_token(&server, &ended, None);
    }
    assert_eq!(server.asked_for_authorization(), 0);
}

#[test]
fn wrong_usage_is_refused_and_shows_no_token() {
    let url = "http://127.0.0.1:1/mcp";
    let user = "http://user:hunter22@127.0.0.1:1/mcp";
    let token = ["--token", "hunter22"];
    let cases: [(&[&str], &str); 9] = [
        (
            &["--url", url, "--token", "admin=hunter22"],
            "the text before `=` is not a role; expected `user`",
        ),
        (&["--url", url, "--token", "@/no/such/file"], "cannot read /no/such/file"),
        (
            &["--url", url, token[0], token[1], "--header", "authorization=Bearer hunter22"],
            "--header already has `Authorization`",
        ),
        (&["--url", user, token[0], token[1]], "--url already has a user"),
        (&["--url", user, "--sign-in"], "--url already has a user"),
        (&["--url", url, token[0], token[1], "--sign-in"], "cannot be used with"),
        (&["--reference", "--sign-in"], "cannot be used with"),
        (&[token[0], token[1], "--", "true"], "--token: it requires a target with --url"),
        (&["--url", url, "--client-secret", "hunter22"], "--client-id"),
    ];
    for (args, why) in cases {
        let run = mcp_test([&["check"], args].concat());
        let text = run.text(&[]);
        assert_eq!(run.code, 2, "{args:?}: {text}");
        assert!(text.contains(why), "{args:?}: {text}");
        assert!(!text.contains("hunter22"), "{args:?}: {text}");
    }
}
