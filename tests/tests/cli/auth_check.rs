//! `mcp-test check --auth` against the protected reference server, good and bad, and without tokens.

use mcp_test_tests::program::free_port;

use crate::program::{MCP_TEST, mcp_test};

/// Checks the reference server, which is started with these arguments and trusts an issuer at a port of its own.
fn check(options: &[&str], server: &[&str]) -> (i32, String, String) {
    let (issuer, port) = (free_port().to_string(), free_port().to_string());
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mut args = vec!["check", "--auth", "--issuer", &issuer, "--page", "auth", "--url", &url];
    args.extend(options);
    let trusted = format!("http://127.0.0.1:{issuer}");
    args.extend(["--", MCP_TEST, "reference", "server", "--listen", &port]);
    args.extend(["--protected", &trusted]);
    args.extend(server);
    let run = mcp_test(&args);
    let shown = |text: String| text.replace(&issuer, "[issuer]").replace(&port, "[port]");
    (run.code, shown(run.stdout), shown(run.stderr))
}

#[test]
fn a_correct_server_passes() {
    let (code, stdout, stderr) = check(&["--verbose"], &["--scope", "mcp:use"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(stderr, "Issuer http://127.0.0.1:[issuer], which the server has to trust\n");
    for check in ["request-without-token-refused", "expired-token-refused", "missing-scope-refused"]
    {
        let is_passed = |line: &str| line.contains(check) && line.contains("SUCCESS");
        assert!(stdout.lines().any(is_passed), "{check}: {stdout}");
    }
    assert!(!stdout.contains("FAILURE") && !stdout.contains("WARNING"), "{stdout}");
}

#[test]
fn what_an_incorrect_server_accepts_is_named() {
    for (fault, finding) in [
        ("any-caller", "a request without a token is served"),
        ("any-token-time", "a token that has expired is served"),
        ("any-audience", "a token for the server of somebody else is served"),
        ("any-token-issuer", "a token of another issuer is served"),
        ("unsigned-token", "a token that says it is not signed is served"),
        ("any-signature", "a token with a changed signature is served"),
        ("token-in-query", "a token in the URL is accepted"),
        ("any-scope", "a token without the scopes is not refused with HTTP 403"),
        ("trust-session", "a request with the id of a session, without a token, is served"),
        ("any-session-user", "the session of one user is served to another one"),
    ] {
        let (code, stdout, stderr) = check(&[], &["--scope", "mcp:use", "--fault", fault]);
        assert!(stdout.contains(finding), "{fault}: {stdout}{stderr}");
        // Binding a session to its user is advice.
        assert_eq!(code, i32::from(fault != "any-session-user"), "{fault}: {stdout}{stderr}");
    }
}

#[test]
fn a_server_that_trusts_another_issuer_is_tested_without_tokens() {
    let (issuer, port) = (free_port().to_string(), free_port().to_string());
    let url = format!("http://127.0.0.1:{port}/mcp");
    let server = [MCP_TEST, "reference", "server", "--listen", &port];
    let server = [server.as_slice(), &["--protected", "http://127.0.0.1:9"]].concat();
    let options = ["check", "--auth", "--issuer", &issuer, "--url", &url, "--verbose", "--"];
    let run = mcp_test([options.as_slice(), &server].concat());
    let stdout = &run.stdout;
    assert_eq!(run.code, 0, "{stdout}{}", run.stderr);
    assert!(stdout.contains("the server does not accept the token of `user`"), "{stdout}");
    let is_passed = |line: &str| line.contains("challenge-sent") && line.contains("SUCCESS");
    assert!(stdout.lines().any(is_passed), "{stdout}");
}

#[test]
fn the_service_that_a_server_calls_is_named() {
    let (code, stdout, stderr) = check(&["--downstream", "0"], &[]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stderr.starts_with("Service http://127.0.0.1:"), "{stderr}");
}

#[test]
fn what_has_no_effect_is_wrong_usage() {
    let refused = |args: &[&str]| {
        let run = mcp_test(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        run.stderr
    };
    insta::assert_snapshot!(refused(&["check", "--auth", "--reference"]), @"error: --auth: requires --url, since only servers over HTTP are protected by tokens");
    insta::assert_snapshot!(refused(&["reference", "server", "--listen", "0", "--fault", "any-audience"]), @"error: --fault any-audience: has no effect without --protected ISSUER, by which the server demands tokens");
    let issuer = refused(&["reference", "server", "--listen", "0", "--protected", "9000"]);
    assert!(issuer.contains("expected a URL without query and fragment"), "{issuer}");
    let alone = refused(&["check", "--issuer", "9000", "--reference"]);
    assert!(alone.contains("--auth"), "{alone}");
}
