//! What the command makes of each misbehavior: the table in `HOSTILE_PEERS.md`, of which every row is run.
//!
//! `MCP_TEST_TESTS_WRITE_TABLE=1` runs all rows and writes the file. The times and the memory in it are those of that run; every
//! run checks the rest, and the bounds. `MCP_TEST_TESTS_ROWS=TEXT` runs only the rows with this text, and prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::{Run, run_command};
use serde_json::Value;

use crate::bounds::{BOUND, peak_of, processor_time_of};
use crate::scenario_run::{METHOD, SCENARIO};
use crate::{http, lines, other_commands};

pub(crate) const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/HOSTILE_PEERS.md");

/// The time-out of scenarios that nothing else ends; no other scenario needs its own, which is much longer.
pub(crate) const SHORT: &str = "2s";
pub(crate) const LONG: &str = "5m";

/// The longest time until the report, and the most processor time: the first report of a scenario that waits for nothing comes
/// within seconds.
const MOST: Duration = Duration::from_secs(60);

/// What takes processor time may take this many times as long where other programs use the processors too: nine times beside four
/// busy loops and a build.
const SHARED: u32 = 10;

/// How the server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Body,
    Stream,
    Sse,
}

impl Transport {
    const ALL: [Self; 4] = [Self::Stdio, Self::Body, Self::Stream, Self::Sse];

    const fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Body => "HTTP, JSON",
            Self::Stream => "HTTP, stream",
            Self::Sse => "HTTP+SSE",
        }
    }

    /// What a server can do over it.
    fn behaviors(self) -> Vec<Behavior> {
        let more: &[Behavior] = match self {
            Self::Stdio => &ONLY_STDIO,
            Self::Body => &ONLY_BODY,
            Self::Stream => &ONLY_STREAM,
            Self::Sse => &ONLY_SSE,
        };
        let usual: &[Behavior] = match self {
            Self::Stdio => &lines::BEHAVIORS,
            Self::Body => &http::BODIES,
            Self::Stream => &http::STREAMS,
            Self::Sse => &[],
        };
        [usual, more, &REPLIES].concat()
    }

    /// Whether only its time-out ends a scenario: a reply may still come.
    fn waits(self, behavior: Behavior) -> bool {
        use Behavior::*;
        match self {
            Self::Stdio => matches!(
                behavior,
                Never
                    | Empty
                    | Plain
                    | HalfALine
                    | EmptyObject
                    | Number
                    | Null
                    | Text
                    | Echo
                    | EndlessFlood
                    | EndlessStderr
            ),
            Self::Body => matches!(behavior, Never | AcceptsOnly | SlowHead),
            Self::Stream => {
                matches!(behavior, Never | EndlessFlood | EndlessComments)
            }
            Self::Sse => matches!(behavior, Never | EndlessFlood | Echo),
        }
    }

    /// Whether a row takes seconds of processor time for what another row shows over another transport.
    fn takes_long(self, behavior: Behavior) -> bool {
        let shown_over = match behavior {
            Behavior::Objects | Behavior::HugeEnum => Self::Stdio,
            Behavior::Zeros => Self::Body,
            Behavior::ManyTools => Self::Stream,
            Behavior::GrowingPages => Self::Sse,
            _ => return false,
        };
        self != shown_over
    }

    fn run(self, behavior: Behavior) -> Measured {
        let timeout = if self.waits(behavior) { SHORT } else { LONG };
        let hostile = Hostile::on(METHOD, behavior);
        match self {
            Self::Stdio => {
                let arguments = hostile.arguments();
                let program = arguments.each_ref().map(String::as_str);
                check("2025-11-25", timeout, &[&["--", PEER][..], &program].concat())
            }
            Self::Body | Self::Stream => {
                let running = Running::start(hostile, self == Self::Stream);
                check("2025-11-25", timeout, &["--url", &running.url()])
            }
            Self::Sse => {
                let running = Running::with_sse(hostile);
                let url = running.url().replace("/mcp", "/sse");
                check("2024-11-05", timeout, &["--transport", "sse", "--url", &url])
            }
        }
    }
}

/// What comes in the place of a message, whatever carries it.
const REPLIES: [Behavior; 48] = {
    use Behavior::*;
    [
        EmptyArray,
        EmptyObject,
        Number,
        Null,
        Text,
        Batch,
        Utf16,
        Utf16WithoutMark,
        Utf32,
        RandomBytes,
        Compressed,
        LongId,
        LongMethod,
        LongError,
        LongName,
        ControlName,
        ControlError,
        ResultAndError,
        NoResult,
        TextError,
        NoCode,
        TextCode,
        FractionCode,
        HugeCode,
        OldJsonRpc,
        NoJsonRpc,
        NumberJsonRpc,
        ObjectId,
        FractionId,
        TrueId,
        Echo,
        ArrayResult,
        NullResult,
        TextResult,
        EmptyResult,
        ObjectList,
        NullItem,
        NoName,
        NumberName,
        DuplicateName,
        NoSchema,
        NullSchema,
        ArraySchema,
        RecursiveSchema,
        RemoteSchema,
        FileSchema,
        NumberCursor,
        TextMeta,
    ]
};

const ONLY_STDIO: [Behavior; 32] = {
    use Behavior::*;
    [
        Never,
        Empty,
        Plain,
        HalfALine,
        RandomWithoutNewline,
        Latin1Log,
        Chatter,
        EndlessLog,
        EndlessBlankLines,
        EndlessNul,
        EndlessReplies,
        EndlessRequests,
        EndlessFlood,
        EndlessLine,
        EndlessStderr,
        LongStderr,
        HugeReply,
        Zeros,
        Objects,
        ManyTools,
        HugeEnum,
        GrowingPages,
        SlowPattern,
        WrongPattern,
        DeepSchema,
        SameCursor,
        UnknownProgress,
        NotificationWithId,
        UnknownNotification,
        UnknownRequest,
        Undeclared,
        IgnoreEof,
    ]
};

const ONLY_BODY: [Behavior; 23] = {
    use Behavior::*;
    [
        Never,
        AcceptsOnly,
        SlowHead,
        Trickle,
        RedirectLoop,
        WrongChunks,
        CutChunks,
        TwoLengths,
        ShortBody,
        ExitInstead,
        Hangup,
        Reset,
        NoHttp,
        Tls,
        EndlessHead,
        EndlessLine,
        HugeReply,
        Zeros,
        Objects,
        ManyTools,
        HugeEnum,
        GrowingPages,
        SameCursor,
    ]
};

const ONLY_STREAM: [Behavior; 17] = {
    use Behavior::*;
    [
        Never,
        EndlessFlood,
        EndlessComments,
        EndlessRequests,
        EndlessReplies,
        EndlessLine,
        HugeReply,
        Zeros,
        Objects,
        ManyTools,
        HugeEnum,
        GrowingPages,
        UnknownProgress,
        NotificationWithId,
        UnknownNotification,
        UnknownRequest,
        Undeclared,
    ]
};

const ONLY_SSE: [Behavior; 31] = {
    use Behavior::*;
    [
        Well,
        WrongId,
        RetypedId,
        NullId,
        NoId,
        Twice,
        LogLine,
        TruncatedJson,
        InvalidUtf8,
        Bom,
        Nul,
        TwoOnALine,
        Deep,
        DuplicateMembers,
        HugeNumbers,
        LoneSurrogate,
        StreamEndsEarly,
        Never,
        EndlessFlood,
        EndlessRequests,
        EndlessReplies,
        EndlessLine,
        HugeReply,
        Zeros,
        Objects,
        ManyTools,
        HugeEnum,
        GrowingPages,
        UnknownProgress,
        UnknownRequest,
        Undeclared,
    ]
};

/// What a program does besides its messages, as a shell script around the server.
const PROGRAMS: [(&str, &str, &str, Behavior); 13] = {
    use Behavior::*;
    [
        (
            "ignore-eof-and-term",
            "It keeps running when its input ends, and ignores SIGTERM.",
            r#"trap "" TERM; exec "$@""#,
            IgnoreEof,
        ),
        (
            "leave-process",
            "It leaves a process behind.",
            r#""$1" hold < /dev/null > /dev/null 2>&1 & exec "$@""#,
            Well,
        ),
        (
            "leave-150-processes",
            "It leaves 150 processes behind.",
            r#"for i in $(seq 150); do "$1" hold < /dev/null > /dev/null 2>&1 & done; exec "$@""#,
            Well,
        ),
        (
            "leave-daemon",
            "It leaves a process behind in a session of its own.",
            r#"setsid "$1" hold < /dev/null > /dev/null 2>&1 & exec "$@""#,
            Well,
        ),
        (
            "leave-forgetful-daemon",
            "It leaves a process behind in a session of its own, without its environment.",
            r#"(env -i setsid "$1" hold < /dev/null > /dev/null 2>&1 &); exec "$@""#,
            Well,
        ),
        (
            "stubborn-wrong-id",
            "It answers with an id that no request has, keeps running when its input ends, and ignores SIGTERM.",
            r#"trap "" TERM; "$@"; while :; do sleep 600; done"#,
            WrongId,
        ),
        ("exit-code-7", "It exits with code 7 when its input ends.", r#""$@"; exit 7"#, Well),
        ("killed", "It kills itself when its input ends.", r#""$@"; kill -KILL $$"#, Well),
        ("no-program", "It does not exist.", "exec /no/such/program", Well),
        (
            "exit-with-text",
            "It prints an error and exits.",
            "echo 'cannot find the module' >&2; exit 1",
            Well,
        ),
        ("closed-output", "It closes its standard output.", "exec 1>&-; exec sleep 600", Well),
        ("closed-input", "It closes its standard input.", "exec 0<&-; exec sleep 600", Well),
        ("not-mcp", "It repeats what it reads.", "exec cat", Well),
    ]
};

/// What came of one row.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// What the report calls it.
    name: String,
    exit: i32,
    /// Until the report.
    time: Duration,
    processor_time: Duration,
    /// In MiB.
    memory: u64,
}

/// Runs `check` with a target.
fn check(revision: &str, timeout: &str, target: &[&str]) -> Measured {
    let options =
        ["check", "--scenario", SCENARIO, "--spec-version", revision, "--timeout", timeout];
    measure(&[&options[..], target].concat())
}

/// Runs a command that tests something.
pub(crate) fn measure(words: &[&str]) -> Measured {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("peak");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("MCP_TEST_TESTS_PEAK", &file);
    // Before what follows `--`.
    let (options, program) =
        words.split_at(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
    command.args(options).args(["--format", "json"]).args(program);
    let run = run_command(command);
    measured(&run, &file)
}

/// A text with `[port]` instead of the port of a server on this machine.
fn without_port(text: String) -> String {
    let Some((before, after)) = text.split_once("127.0.0.1:") else { return text };
    format!("{before}127.0.0.1:[port]{}", after.trim_start_matches(|it: char| it.is_ascii_digit()))
}

fn measured(run: &Run, peak: &Path) -> Measured {
    let report: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}\n{}", run.stdout, run.stderr));
    // That an attack is not what a client was asked for says nothing about it.
    let is_other = |problem: &&Value| {
        let headline = problem["headline"].as_str().unwrap_or_default();
        !other_commands::LEFT_UNDONE.iter().any(|undone| headline.starts_with(undone))
    };
    let problems = report["problems"].as_array().map(Vec::as_slice).unwrap_or_default();
    let problem = problems.iter().find(is_other).or(problems.first()).unwrap_or(&Value::Null);
    let headline = problem["headline"].as_str().or_else(|| report["notRun"]["headline"].as_str());
    let requirement = problem["requirements"][0].as_str();
    let name = match (headline, requirement) {
        (Some(headline), Some(requirement)) => format!("{headline} ({requirement})"),
        (headline, _) => headline.unwrap_or("-").to_owned(),
    };
    // A table cell of Markdown has one line, and no bars.
    let name = name.lines().next().unwrap_or_default().replace('|', "\\|");
    let name = without_port(name);
    // Which tool is the first beyond the limits depends on how long the schemas before it take.
    let name = match name.split_once(" of tool `t") {
        Some((before, rest)) if rest.starts_with(|it: char| it.is_ascii_digit()) => {
            format!("{before} of a tool")
        }
        _ => name,
    };
    let (processor_time, memory) = (processor_time_of(peak), peak_of(peak));
    Measured { name, exit: run.code, time: run.first_output, processor_time, memory }
}

/// A row of the table: its cells before what the report names, and how it is run.
pub(crate) struct Row {
    pub(crate) cells: String,
    pub(crate) is_long: bool,
    pub(crate) run: Box<dyn Fn() -> Measured + Send + Sync>,
}

fn rows() -> Vec<Row> {
    rows_of_check().into_iter().chain(other_commands::rows()).collect()
}

fn rows_of_check() -> Vec<Row> {
    let servers = Transport::ALL.into_iter().flat_map(|transport| {
        transport.behaviors().into_iter().map(move |behavior| Row {
            cells: format!("| {behavior} |{} | {} |", behavior.about(), transport.name()),
            is_long: transport.takes_long(behavior),
            run: Box::new(move || transport.run(behavior)),
        })
    });
    let programs = PROGRAMS.into_iter().map(|(name, about, script, behavior)| Row {
        cells: format!("| {name} | {about} | stdio |"),
        is_long: false,
        run: Box::new(move || {
            // Whether a program still reads its input cannot be seen from outside.
            let timeout = if name == "closed-input" { SHORT } else { LONG };
            let arguments = Hostile::on(METHOD, behavior).arguments();
            let program = arguments.each_ref().map(String::as_str);
            check(
                "2025-11-25",
                timeout,
                &[&["--", "sh", "-c", script, "sh", PEER][..], &program].concat(),
            )
        }),
    });
    servers.chain(programs).collect()
}

/// Runs rows, more at a time than there are processors: many of them wait for a time-out.
fn run_all(rows: &[Row]) -> Vec<Measured> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let workers = 2 * thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let measured = (row.run)();
                    results.lock().expect("no panic").insert(row.cells.as_str(), measured);
                }
            });
        }
    });
    let results = results.into_inner().expect("no panic");
    rows.iter().map(|row| results[row.cells.as_str()].clone()).collect()
}

const INTRODUCTION: &str = "\
# Hostile peers

What `mcp-test check` makes of servers that misbehave: the name of the first problem in the report (the id of the requirement, \
where there is one), the time from the start of the command to its report, its peak memory, and its exit code in profile \
`adaptive`. Each server is good otherwise; it misbehaves in its answers to `tools/list`, and the scenario is `tools-list`.

The test target `hostile` runs the rows, some of them only in `.ci/extended`, and checks the name, the exit code, and that memory \
stays within 256 MiB. Times and memory are those of the run of a debug build that wrote this file \
(`MCP_TEST_TESTS_WRITE_TABLE=1 cargo test -p mcp-test-tests --test hostile table`), with several at a time. Where the reply could still \
come, the time-out is 2 s, and the scenario ends with it; in all other rows it is 5 min. Hostile clients are in `clients.rs`, \
`http_clients.rs` and `client_bounds.rs`, with the answers that they get.

| peer | what it does | transport | what the report names | exit code | time | memory |
|---|---|---|---|---|---|---|
";

/// The lines of the file without their last two cells.
fn known() -> BTreeSet<String> {
    let file = std::fs::read_to_string(FILE).expect("the table");
    let rows = file.lines().filter(|line| line.ends_with(" MiB |"));
    rows.map(|line| format!("{} |", line.rsplitn(3, " | ").last().unwrap_or(line))).collect()
}

/// Runs rows and compares them with the file.
fn check_rows(rows: &[Row]) {
    let results = run_all(rows);
    let (mut text, mut checked, mut beyond) = (String::new(), BTreeSet::new(), String::new());
    for (row, Measured { name, exit, time, processor_time, memory }) in rows.iter().zip(&results) {
        let now = format!("{} {name} | {exit} |", row.cells);
        let line = format!("{now} {:.1} s | {memory} MiB |\n", time.as_secs_f64());
        let is_slow = *processor_time > MOST || *time > MOST.max(*processor_time * SHARED);
        if is_slow || *memory > BOUND {
            beyond += &line;
        }
        text += &line;
        checked.insert(now);
    }
    assert!(beyond.is_empty(), "beyond the bounds:\n{beyond}");
    if std::env::var_os("MCP_TEST_TESTS_ROWS").is_some() {
        return eprintln!("{text}");
    }
    if writes_file() {
        let of_check: usize = rows_of_check().len();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (of_check, others) = lines.split_at(of_check);
        let text = [&of_check.concat(), other_commands::INTRODUCTION, &others.concat()].concat();
        return std::fs::write(FILE, INTRODUCTION.to_owned() + &text)
            .expect("the file can be written");
    }
    let mut known = known();
    known.retain(|line| rows.iter().any(|row| line.starts_with(&row.cells)));
    let (missing, new): (BTreeSet<_>, BTreeSet<_>) =
        (known.difference(&checked).collect(), checked.difference(&known).collect());
    pretty_assertions::assert_eq!(
        missing,
        new,
        "rows of the file that have changed, and their new form"
    );
}

fn writes_file() -> bool {
    std::env::var_os("MCP_TEST_TESTS_WRITE_TABLE").is_some()
}

#[test]
fn every_row_of_the_table_holds() {
    let mut rows = rows();
    if let Ok(part) = std::env::var("MCP_TEST_TESTS_ROWS") {
        rows.retain(|row| row.cells.contains(&part));
    } else if !writes_file() {
        rows.retain(|row| !row.is_long);
    }
    check_rows(&rows);
}

#[test]
fn the_table_has_exactly_these_rows() {
    let known = known();
    let rows = rows();
    assert_eq!(known.len(), rows.len());
    for row in &rows {
        assert!(known.iter().any(|line| line.starts_with(&row.cells)), "{}", row.cells);
    }
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn every_long_row_of_the_table_holds() {
    let mut rows = rows();
    rows.retain(|row| row.is_long);
    check_rows(&rows);
}
