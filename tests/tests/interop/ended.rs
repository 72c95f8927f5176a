//! Runs that are broken off by a signal: what has come so far is kept, and nothing is left running.

use crate::peers::own;
use crate::program::mcp_test;

const CHOICE: [&str; 8] = [
    "--spec-version",
    "2025-11-25",
    "--scenario",
    "server-initialize",
    "--scenario",
    "ping",
    "--jobs",
    "1",
];

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn what_has_come_before_the_signal_is_told() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let out = tempfile::tempdir().expect("a directory");
        let path = out.path().to_str().expect("UTF-8");
        let words = ["server", "--format", "json", "-o", path].into_iter().chain(CHOICE);
        let run = mcp_test(words.chain(["--", "sh", &own("signals.sh"), signal]));
        assert_eq!(run.code, code, "{signal}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.stderr.trim(), "interrupted: the run is not complete");
        let file = std::fs::read_to_string(out.path().join("summary.json")).expect("a summary");
        for document in [json(&run.stdout), json(&file)] {
            assert_eq!(document["interrupted"], true, "{signal}");
            assert_eq!(document["exitCode"], code, "{signal}");
            let cells = document["cells"].as_array().expect("cells");
            let ids: Vec<&str> = cells.iter().filter_map(|it| it["scenario"].as_str()).collect();
            assert_eq!(ids, ["server-initialize"], "{signal}");
        }
    }
}
