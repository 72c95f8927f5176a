//! Runs that a signal interrupts: the results so far are reported, and nothing is left running.

use crate::peers::peer_path;
use crate::program::mcp_test;

const SELECTION: [&str; 8] = [
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
fn results_before_the_signal_are_reported() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let out = tempfile::tempdir().expect("a temporary folder");
        let path = out.path().to_str().expect("UTF-8");
        let args = ["server", "--format", "json", "-o", path].into_iter().chain(SELECTION);
        let run = mcp_test(args.chain(["--", "sh", &peer_path("signals.sh"), signal]));
        assert_eq!(run.code, code, "{signal}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.stderr.trim(), "interrupted: the run is not complete");
        let file = std::fs::read_to_string(out.path().join("summary.json"))
            .expect("summary.json was written");
        for document in [json(&run.stdout), json(&file)] {
            assert_eq!(document["interrupted"], true, "{signal}");
            assert_eq!(document["exitCode"], code, "{signal}");
            let scenario_runs = document["cells"].as_array().expect("the report has cells");
            let ids: Vec<&str> =
                scenario_runs.iter().filter_map(|it| it["scenario"].as_str()).collect();
            assert_eq!(ids, ["server-initialize"], "{signal}");
        }
    }
}
