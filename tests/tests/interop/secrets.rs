//! What was given in confidence is in no report, wherever the peer repeats it.

use std::fs;
use std::path::Path;

use crate::peers::own;
use crate::program::{MCP_TEST, Run, Serving, mcp_test};

const QUOTED: &str = r#"say "q\t""#;
const WRAPPED: &str = "many words that hold one secret together";
const PLAIN: &str = "hunter55";

fn run(words: &[&str], peer: &[&str]) -> Run {
    let secrets = [("QUOTED", QUOTED), ("WRAPPED", WRAPPED), ("PLAIN", PLAIN)];
    let secrets = secrets.map(|(name, value)| format!("{name}_TOKEN={value}"));
    let env = secrets.iter().flat_map(|variable| ["--env", variable]);
    let words = words.iter().copied().chain(env).chain(["--"]).chain(peer.iter().copied());
    mcp_test(words)
}

fn assert_clean(text: &str) {
    for secret in ["hunter", "many words", "one secret", r#""q\t""#, r#"\"q\\t\""#] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

fn files(below: &Path) -> Vec<String> {
    let entries = fs::read_dir(below).expect("a directory").flatten();
    let texts = entries.flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() { files(&path) } else { vec![fs::read_to_string(path).expect("a text")] }
    });
    texts.collect()
}

#[test]
fn in_no_report() {
    let out = tempfile::tempdir().expect("a directory");
    let path = out.path().to_str().expect("UTF-8");
    let choice = ["check", "--spec-version", "2025-11-25", "--scenario", "ping", "-o", path];
    let echo = own("echo.sh");
    for format in [["--format", "json"], ["--format", "human"]] {
        let words: Vec<&str> = choice.into_iter().chain(format).collect();
        let run = run(&words, &["sh", &echo]);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("[secret]"), "{}", run.stdout);
        assert_clean(&run.stdout);
        assert_clean(&run.stderr);
        if format[1] == "json" {
            let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(document["server"], "echo [secret] 1");
        }
    }
    let files = files(out.path());
    assert_eq!(files.len(), 3, "two runs and their summary");
    for file in files {
        assert_clean(&file);
        serde_json::from_str::<serde_json::Value>(&file).expect("JSON");
    }
}

#[test]
fn in_no_word_about_a_server_that_cannot_be_tested() {
    let run = run(&["check"], &["sh", "-c", "echo $PLAIN_TOKEN >&2; exit 1"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("[secret]"), "{}", run.stderr);
    assert_clean(&run.stderr);
}

#[test]
fn in_no_word_about_a_url() {
    let run = mcp_test(["check", "--url", "http://user:hunter99@127.0.0.1:1/mcp?token=hunter98"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("http://127.0.0.1:1/mcp?token=[secret]"), "{}", run.stderr);
    assert_clean(&run.stderr);
}

/// A header whose value is a word that reports are full of.
#[test]
fn a_word_that_says_nothing_does_not_garble_a_report() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let words = ["check", "--scenario", "tools-list", "--format", "json", "--header"];
    let run = mcp_test(words.into_iter().chain(["X-Debug=true", "--url", &serving.url]));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["cells"][0]["checks"][0]["counts"], true);
}
