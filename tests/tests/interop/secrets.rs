//! Secrets do not appear in any report, wherever the peer repeats them.

use std::fs;
use std::path::Path;

use crate::peers::peer_path;
use crate::program::{MCP_TEST, Run, Serving, mcp_test};

const QUOTED: &str = r#"say "q\t""#;
const WRAPPED: &str = "many words that hold one secret together";
const PLAIN: &str = "hunter55";

fn run(args: &[&str], peer: &[&str]) -> Run {
    let secrets = [("QUOTED", QUOTED), ("WRAPPED", WRAPPED), ("PLAIN", PLAIN)];
    let secrets = secrets.map(|(name, value)| format!("{name}_TOKEN={value}"));
    let env = secrets.iter().flat_map(|variable| ["--env", variable]);
    let args = args.iter().copied().chain(env).chain(["--"]).chain(peer.iter().copied());
    mcp_test(args)
}

/// Checks that no part of a secret is in a text, escaped or not.
fn assert_has_no_secret(text: &str) {
    for secret in ["hunter", "many words", "one secret", r#""q\t""#, r#"\"q\\t\""#] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

/// The texts of all files below a folder.
fn file_texts(below: &Path) -> Vec<String> {
    let entries = fs::read_dir(below).expect("a folder").flatten();
    let texts = entries.flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            file_texts(&path)
        } else {
            vec![fs::read_to_string(path).expect("a text")]
        }
    });
    texts.collect()
}

#[test]
fn a_secret_is_not_in_any_report() {
    let out = tempfile::tempdir().expect("a folder");
    let path = out.path().to_str().expect("UTF-8");
    let options = ["check", "--spec-version", "2025-11-25", "--scenario", "ping", "-o", path];
    let echo = peer_path("echo.sh");
    for format in [["--format", "json"], ["--format", "human"]] {
        let args: Vec<&str> = options.into_iter().chain(format).collect();
        let run = run(&args, &["sh", &echo]);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("[secret]"), "{}", run.stdout);
        assert_has_no_secret(&run.stdout);
        assert_has_no_secret(&run.stderr);
        if format[1] == "json" {
            let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(document["server"], "echo [secret] 1");
        }
    }
    let texts = file_texts(out.path());
    assert_eq!(texts.len(), 3, "two runs and their summary");
    for text in texts {
        assert_has_no_secret(&text);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    }
}

#[test]
fn a_secret_is_not_in_the_error_about_a_server_that_cannot_be_tested() {
    let run = run(&["check"], &["sh", "-c", "echo $PLAIN_TOKEN >&2; exit 1"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("[secret]"), "{}", run.stderr);
    assert_has_no_secret(&run.stderr);
}

#[test]
fn a_secret_is_not_in_the_error_about_a_url() {
    let run = mcp_test(["check", "--url", "http://user:hunter99@127.0.0.1:1/mcp?token=hunter98"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("http://127.0.0.1:1/mcp?token=[secret]"), "{}", run.stderr);
    assert_has_no_secret(&run.stderr);
}

/// The value of the header, `true`, occurs all over a report, so it must not be redacted.
#[test]
fn a_header_value_that_is_no_secret_is_not_redacted() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let args = ["check", "--scenario", "tools-list", "--format", "json", "--header"];
    let run = mcp_test(args.into_iter().chain(["X-Debug=true", "--url", &serving.url]));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["cells"][0]["checks"][0]["counts"], true);
}
