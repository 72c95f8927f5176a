//! What the commands beside `check` make of hostile peers: the second table in `HOSTILE_PEERS.md`.

use mcp_test_tests::hostile::client::{ATTACKS, Attack, Over};
use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{ANY, Behavior, Hostile};

use crate::scenario_run::{METHOD, SCENARIO};
use crate::table::{LONG, Measured, PEER, Row, SHORT, measure};

pub(crate) const INTRODUCTION: &str = "
# The other commands

The same for `server` and `client` in profile `official`, `check --record`, `check --auth`, `authorization` and `cases verify-client`. The \
authorization server misbehaves on every request. A client sends the handshake before its attack, and what is named is the first problem beside \
that it does not do what it was asked for.

| command | peer | what it does | transport | what the report names | exit code | time | memory |
|---|---|---|---|---|---|---|---|
";

/// How the problems begin that a client does not do what it was asked for.
pub(crate) const LEFT_UNDONE: [&str; 2] =
    ["the client never called a tool", "the client did not send "];

/// What takes seconds of processor time.
const LONG_ATTACKS: [&str; 3] = ["batch", "zeros", "flood"];

const OF_SERVER_OVER_STDIO: [Behavior; 16] = {
    use Behavior::*;
    [
        Well,
        WrongId,
        NoId,
        Twice,
        Banner,
        Html,
        TruncatedJson,
        InvalidUtf8,
        NoNewline,
        Deep,
        ExitInstead,
        Never,
        EndlessLog,
        EndlessLine,
        HugeReply,
        ControlError,
    ]
};

const OF_SERVER_OVER_HTTP: [Behavior; 16] = {
    use Behavior::*;
    [
        Well,
        WrongId,
        NoId,
        Html,
        TruncatedJson,
        InvalidUtf8,
        Status500,
        WrongContentType,
        RedirectLoop,
        WrongChunks,
        TwoLengths,
        Hangup,
        Reset,
        Never,
        EndlessHead,
        HugeReply,
    ]
};

const OF_RECORDING: [Behavior; 8] = {
    use Behavior::*;
    [Well, WrongId, InvalidUtf8, TruncatedJson, ControlName, LongName, EndlessLine, HugeReply]
};

const OF_PROTECTED: [Behavior; 8] = {
    use Behavior::*;
    [Html, TruncatedJson, RedirectLoop, WrongChunks, Hangup, Reset, NoHttp, HugeReply]
};

const OF_AUTHORIZATION: [Behavior; 20] = {
    use Behavior::*;
    [
        Well,
        Html,
        Plain,
        Empty,
        TruncatedJson,
        InvalidUtf8,
        EmptyArray,
        Number,
        Null,
        Text,
        Deep,
        RedirectLoop,
        WrongChunks,
        TwoLengths,
        Hangup,
        Reset,
        NoHttp,
        Tls,
        EndlessHead,
        HugeReply,
    ]
};

/// The attacks on a server of cases; on that of `client` all are made.
const ON_CASES: [&str; 12] = [
    "exits",
    "holds",
    "exit-code-7",
    "endless-stdout",
    "word",
    "invalid-utf8",
    "deep",
    "zeros",
    "huge",
    "flood",
    "endless-head",
    "half-heads",
];

pub(crate) fn rows() -> Vec<Row> {
    let over_stdio = OF_SERVER_OVER_STDIO
        .into_iter()
        .map(|behavior| row("server", behavior, "stdio", move || server(&["server"], behavior)));
    let over_http = OF_SERVER_OVER_HTTP.into_iter().map(|behavior| {
        row("server", behavior, "HTTP", move || at_url(&["server"], METHOD, behavior))
    });
    let recording = OF_RECORDING.into_iter().map(|behavior| {
        row("check --record", behavior, "stdio", move || {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("recorded.yaml");
            server(&["check", "--record", file.to_str().expect("UTF-8")], behavior)
        })
    });
    let protected = OF_PROTECTED.into_iter().map(|behavior| {
        row("check --auth", behavior, "HTTP", move || {
            at_url(&["check", "--auth"], METHOD, behavior)
        })
    });
    let authorization = OF_AUTHORIZATION.into_iter().map(|behavior| {
        row("authorization", behavior, "HTTP", move || {
            let running = Running::start(Hostile::on(ANY, behavior), false);
            let issuer = running.url().replace("/mcp", "");
            measure(&["authorization", "--url", &issuer, "--timeout", timeout(behavior)])
        })
    });
    let of_client = |attack: &'static Attack, transport: &'static str| Row {
        cells: cells(
            "client",
            attack.name,
            attack.about,
            if transport == "http" { "HTTP" } else { transport },
        ),
        is_long: LONG_ATTACKS.contains(&attack.name),
        run: Box::new(move || {
            client(attack, &["client", "--scenario", "tools_call", "--transport", transport])
        }),
    };
    let clients = ATTACKS.iter().map(move |attack| of_client(attack, "http"));
    let started = ATTACKS.iter().filter(|attack| attack.over == Over::Any);
    let clients = clients.chain(started.map(move |attack| of_client(attack, "stdio")));
    let on_cases = ATTACKS.iter().filter(|attack| ON_CASES.contains(&attack.name));
    let verified = on_cases.map(|attack| Row {
        cells: cells("cases verify-client", attack.name, attack.about, "HTTP"),
        is_long: LONG_ATTACKS.contains(&attack.name),
        run: Box::new(move || {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("cases.yaml");
            std::fs::write(&file, CASES).expect("the folder is ours");
            client(attack, &["cases", "verify-client", file.to_str().expect("UTF-8")])
        }),
    });
    over_stdio
        .chain(over_http)
        .chain(recording)
        .chain(protected)
        .chain(authorization)
        .chain(clients)
        .chain(verified)
        .collect()
}

const CASES: &str = r#"case: Lists the tools
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
"#;

fn cells(command: &str, name: &str, about: &str, transport: &str) -> String {
    format!("| {command} | {name} | {} | {transport} |", about.trim())
}

fn row(
    command: &str,
    behavior: Behavior,
    transport: &str,
    run: impl Fn() -> Measured + Send + Sync + 'static,
) -> Row {
    let cells = cells(command, &behavior.to_string(), behavior.about(), transport);
    Row { cells, is_long: false, run: Box::new(run) }
}

/// Where a reply may still come, nothing else ends the scenario.
const fn timeout(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Never => SHORT,
        _ => LONG,
    }
}

const SELECTION: [&str; 4] = ["--scenario", SCENARIO, "--spec-version", "2025-11-25"];

fn server(command: &[&str], behavior: Behavior) -> Measured {
    let arguments = Hostile::on(METHOD, behavior).arguments();
    let program = arguments.each_ref().map(String::as_str);
    let options = ["--timeout", timeout(behavior), "--", PEER];
    measure(&[command, &SELECTION, &options, &program].concat())
}

fn at_url(command: &[&str], method: &str, behavior: Behavior) -> Measured {
    let running = Running::start(Hostile::on(method, behavior), false);
    let url = running.url();
    measure(&[command, &SELECTION, &["--timeout", timeout(behavior), "--url", &url]].concat())
}

fn client(attack: &Attack, command: &[&str]) -> Measured {
    let program = format!("{PEER} client {}", attack.name);
    let timeout = match attack.name {
        "holds" | "endless-stdout" | "endless-stderr" => SHORT,
        _ => LONG,
    };
    let options = ["--spec-version", "2025-11-25", "--timeout", timeout, "--command", &program];
    measure(&[command, &options].concat())
}
