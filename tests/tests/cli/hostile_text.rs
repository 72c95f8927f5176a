//! Nothing that a peer or a file says controls a terminal, deceives a reader, or becomes markup; also not under `cargo test`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_test::prelude::*;
use mcp_test_tests::program::{Serving, report_options, run_command};

use crate::program::{MCP_TEST, mcp_test};
use crate::terminal::command_on_terminal;

/// Sets the title of a terminal, clears and conceals it, selects a colour that mcp-test does not use, reverses and hides text, and
/// overwrites the line.
const CONTROLS: &str = "\u{1b}]0;x\u{7}\u{1b}[2J\u{1b}[8m\u{1b}[35m\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{2028}\u{feff}\u{ad}\u{e0041}\u{9b}1A\r";

/// What mcp-test writes to a terminal itself: ends of lines, its status line, and single colours but one.
fn without_own_controls(text: &str) -> String {
    let mut rest = text.replace("\r\n", "\n").replace("\r\u{1b}[2K", "");
    // libtest ends its colours with this.
    rest = rest.replace("\u{1b}(B\u{1b}[m", "");
    for code in (0..=4).chain(31..=34).chain(36..=37).chain(90..=97) {
        rest = rest.replace(&format!("\u{1b}[{code}m"), "");
    }
    rest
}

/// What controls a terminal or deceives a reader in a text.
fn controls(text: &str) -> Vec<char> {
    let is_bad = |c: &char| {
        let hides = matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}');
        hides || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    text.chars().filter(is_bad).collect()
}

/// Runs a command on a terminal, and checks that what it shows is harmless there; returns it.
#[track_caller]
fn shown(command: Command) -> String {
    let what = format!("{:?}", command.get_args());
    let (shown, _, code) = command_on_terminal(command, true);
    let text = without_own_controls(&shown);
    assert_eq!(controls(&text), Vec::<char>::new(), "{what}, exit code {code:?}: {shown:?}");
    text
}

/// Checks that a text quotes what is replaced or escaped.
#[track_caller]
fn assert_quotes(text: &str) {
    let quotes =
        ["U+001B", "·", "\\u001b", "\\u{1b}", "\\u202e", "\\u{202e}", "\u{fffd}", "\u{241b}"];
    assert!(quotes.iter().any(|quote| text.contains(quote)), "{text}");
}

#[track_caller]
fn harmless<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let mut command = Command::new(MCP_TEST);
    command.args(arguments);
    let text = shown(command);
    assert_quotes(&text);
    text
}

/// The text as JSON of plain characters, which is also valid YAML.
fn quoted() -> String {
    let escaped = |unit| format!("\\u{unit:04x}");
    format!("\"{}\"", CONTROLS.encode_utf16().map(escaped).collect::<String>())
}

/// What makes a server say the text, wherever a server says something.
fn faults() -> Vec<Vec<String>> {
    let quoted = quoted();
    let everywhere = vec![
        // As it is, also among the arguments.
        format!("set:initialize:/{CONTROLS}:1"),
        format!("set:initialize:/serverInfo/name:{quoted}"),
        format!("set:initialize:/serverInfo/version:{quoted}"),
        format!("set:tools/list:/tools/0/name:{quoted}"),
        format!("set:tools/list:/tools/1/name:{quoted}"),
        format!("set:tools/list:/tools/0/inputSchema/type:{quoted}"),
        format!("set:prompts/list:/prompts/0/title:[{quoted}]"),
        format!("set:resources/list:/resources/0/uri:{quoted}"),
    ];
    let messages = [
        format!(r#"{{"jsonrpc":"2.0","id":{quoted},"result":{{}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":99,"method":{quoted},{quoted}:1}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":{quoted},{quoted}:1,"params":7}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"7","error":{{"code":1,"message":{quoted}}}}}"#),
        format!(r#"{{{quoted}:{quoted}}}"#),
    ];
    let mut faults: Vec<Vec<String>> =
        messages.map(|message| vec![format!("stray:tools/list:{message}")]).into();
    faults.push(vec![format!("set:initialize:/protocolVersion:{quoted}")]);
    faults.push(everywhere);
    faults
}

/// The arguments for the reference server with these faults, over stdio.
fn server(faults: &[String]) -> Vec<&str> {
    let reference = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let faults = faults.iter().flat_map(|fault| ["--fault", fault.as_str()]);
    reference.into_iter().chain(faults).collect()
}

#[test]
fn a_server_over_stdio() {
    let banner = vec![format!("banner:{}", quoted()), format!("noise:ping:{CONTROLS}")];
    for faults in faults().iter().chain([&banner]) {
        let server = server(faults);
        harmless(["check", "--spec-version", "2025-11-25"].into_iter().chain(server.clone()));
        let verbose = ["check", "--spec-version", "2025-11-25", "--verbose"];
        harmless(verbose.into_iter().chain(server.clone()));
        let official = ["server", "--scenario", "tools-list", "--spec-version", "2025-11-25"];
        harmless(official.into_iter().chain(["--verbose"]).chain(server));
    }
}

#[test]
fn a_server_over_http() {
    let header = vec![
        "header:ping:mcp-x:a\u{202e}\u{2066}b\u{200f}".to_owned(),
        r#"set:ping:/_meta:7"#.to_owned(),
        format!("set:initialize:/serverInfo/name:{}", quoted()),
    ];
    let mut all = String::new();
    let is_reply = |faults: &&Vec<String>| !faults[0].starts_with("stray");
    for faults in faults().iter().filter(is_reply).chain([&header]) {
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        let serving = Serving::reference(MCP_TEST, &faults);
        let mut command = Command::new(MCP_TEST);
        command.args(["check", "--spec-version", "2025-11-25", "--url", &serving.url]);
        all += &shown(command);
    }
    assert_quotes(&all);
}

#[test]
fn a_client() {
    let quoted = quoted();
    for fault in [
        format!("set:initialize:/method:{quoted}"),
        format!("set:initialize:/protocolVersion:{quoted}"),
        format!("set:initialize:/clientInfo:{quoted}"),
        format!(r#"stray:initialize:{{"jsonrpc":"2.0","id":{quoted},"result":{{{quoted}:1}}}}"#),
        "header:notifications/initialized:mcp-protocol-version:a\u{202e}b".to_owned(),
    ] {
        let client = format!("'{MCP_TEST}' reference client --fault '{fault}'");
        for profile in ["official", "adaptive"] {
            let options = ["client", "--profile", profile, "--scenario", "initialize"];
            harmless(options.into_iter().chain(["--command", &client]));
        }
    }
}

#[test]
fn processes_that_are_left_behind_and_what_they_print() {
    let script = r#"sh -c 'tail -f /dev/null; :' "$1" & printf "$1" >&2; exec mcp-test reference server --stdio --fault error:ping:-32603"#;
    for command in ["check", "server"] {
        let options = [command, "--scenario", "ping", "--spec-version", "2025-11-25"];
        let text = harmless(options.into_iter().chain(["--", "sh", "-c", script, "sh", CONTROLS]));
        assert!(text.contains("left a process behind"), "{text}");
    }
    let client = format!(
        "sh -c '{}' sh '{CONTROLS}'",
        r#"sh -c "tail -f /dev/null; :" "$1" & exec mcp-test reference client "$2""#
    );
    harmless(["client", "--profile", "adaptive", "--scenario", "initialize", "--command", &client]);
}

#[test]
fn arguments() {
    let commands: [&[&str]; 9] = [
        &["check", "--scenario", CONTROLS, "--reference"],
        &["check", "--", CONTROLS],
        &["check", "--url", CONTROLS],
        &["explain", CONTROLS],
        &["requirements", CONTROLS],
        &["list", CONTROLS],
        &[CONTROLS],
        &["cases", "lint", CONTROLS],
        &["validate", CONTROLS],
    ];
    for arguments in commands {
        harmless(arguments.iter().copied());
    }
}

/// A file of this name and text.
fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn files() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let quoted = quoted();
    let message = format!(r#"{{"jsonrpc": "2.0", "method": {quoted}, "params": {{{quoted}: 1}}}}"#);
    let text =
        format!("case: {quoted}\n_tags: [{quoted}]\nin: {message}\nout: {{\"id\": {quoted}}}\n");
    let case = file(folder, "a.yaml", &text);
    let raw = CONTROLS.replace(['\u{1b}', '\u{7}', '\r'], "");
    let wrong = file(folder, "b.yaml", &format!("case: a\n\"{raw}\": \"{raw}\"\n"));
    let name = file(
        folder,
        &format!("{}.yaml", CONTROLS.replace('/', "")),
        &text.replace("case: ", "case:   "),
    );
    let baseline =
        file(folder, "baseline.yml", &format!("server:\n  - {quoted}\n{quoted}:\n  - a\n"));
    let not_yaml = file(folder, "not.yml", CONTROLS);
    let schema = format!("2025-11-25={name}");
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":{quoted},"method":{quoted},"params":{quoted},{quoted}:1}}"#
    );
    let messages = file(folder, "a.jsonl", &format!("{request}\n{{{quoted}:1}}\n{CONTROLS}\n"));
    let trace = folder.join("trace.jsonl");
    let trace = trace.to_str().expect("a path in UTF-8");
    let everything = faults().pop().unwrap_or_default();
    let record = ["check", "--scenario", "tools-list", "--spec-version", "2025-11-25"];
    harmless(record.into_iter().chain(["--record", trace]).chain(server(&everything)));
    let ping = ["--scenario", "ping", "--reference"];
    let commands: [&[&str]; 17] = [
        &["cases", "run", &case, "--reference", "--verbose"],
        &["cases", "lint", &case],
        &["cases", "doc", &case],
        &["cases", "fmt", "--check", &name],
        &["cases", "lint", &name],
        &["cases", "verify-client", &case, "--command", "true"],
        &["cases", "lint", &wrong],
        &["cases", "run", &wrong, "--reference"],
        &["cases", "doc", &wrong],
        &["cases", "record", trace],
        &["cases", "record", &name],
        &["validate", "--spec-version", "2025-11-25", &messages],
        &["validate", &not_yaml],
        &[&["check", "--expected-failures", &baseline][..], &ping].concat(),
        &[&["server", "--expected-failures", &baseline][..], &ping].concat(),
        &[&["check", "--expected-failures", &not_yaml][..], &ping].concat(),
        &[&["check", "--schema", &schema][..], &ping].concat(),
    ];
    for arguments in commands {
        harmless(arguments.iter().copied());
    }
}

/// Markup and commands of the formats that reports are written in.
const MARKUP: &str = "]]><script>alert(1)</script> ``` | [a](b:c)\\n::error title=a::b%0A,c\\n##[error]d\\n# e \
    ##vso[task.complete result=Succeeded] ##teamcity[buildStop]";

/// All files in these folders.
fn files_below(folders: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path.to_str().expect("a path in UTF-8").to_owned()),
            }
        }
    }
    files
}

#[test]
fn reports_and_recordings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    let [reports, summary, yaml, docs, results] =
        ["reports", "summary.md", "a.yaml", "docs", "results"].map(path);
    fs::create_dir(&reports).expect("the folder is ours");
    let text = quoted().replacen('"', &format!("\"{MARKUP}"), 1);
    let faults: Vec<String> = [
        "initialize:/serverInfo/name",
        "initialize:/instructions",
        "tools/list:/tools/0/name",
        "tools/list:/tools/1/name",
        "tools/list:/tools/2/description",
        "tools/list:/tools/3/inputSchema/type",
        "resources/list:/resources/0/uri",
    ]
    .map(|place| format!("set:{place}:{text}"))
    .into();
    let mut command = Command::new(MCP_TEST);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    command.args(["check", "--spec-version", "2025-11-25", "--scenario", "tools-list"]);
    command.args(["--scenario", "resources-list"]).args(report_options(reports.as_ref()));
    command.args(["--report", "github", "--record", &yaml, "-o", &results]).args(server(&faults));
    let run = run_command(command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    // A command of GitHub is at the beginning of a line; ours are annotations, each on one line.
    let is_forged = |line: &&str| line.trim_start().starts_with("::error title=a");
    let output = run.text(&[]);
    assert_eq!(output.lines().find(is_forged), None, "{output}");
    let is_old_command = |line: &&str| line.contains("##[error]") && !line.starts_with("::");
    assert_eq!(output.lines().find(is_old_command), None, "{output}");
    let annotations: Vec<&str> = output.lines().filter(|line| line.starts_with("::")).collect();
    assert!(annotations.iter().any(|line| line.starts_with("::error ")), "{output}");
    assert_eq!(controls(&output), Vec::<char>::new(), "{output:?}");
    for (variable, command_of_ci) in [("TF_BUILD", "##vso["), ("TEAMCITY_VERSION", "##teamcity[")] {
        let mut command = Command::new(MCP_TEST);
        command.env(variable, "True").args(["check", "--spec-version", "2025-11-25"]);
        command.args(["--scenario", "tools-list"]).args(server(&faults));
        let output = run_command(command).text(&[]);
        assert!(output.contains("task.complete"), "{output}");
        assert!(!output.contains(command_of_ci), "{output}");
    }

    let read = |file: &str| fs::read_to_string(file).expect("it was written");
    let xml = read(&format!("{reports}/report.junit"));
    let document = roxmltree::Document::parse(&xml).expect("well-formed XML");
    assert!(document.descendants().any(|node| node.has_tag_name("failure")), "{xml}");
    let run = mcp_test(["cases", "doc", &yaml, "-o", &docs]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let run = mcp_test(["cases", "lint", &yaml]);
    assert!(run.stdout.contains(" case"), "the recording is YAML: {}", run.text(&[]));
    let run = mcp_test(["cases", "run", &yaml].into_iter().chain(server(&faults)));
    assert!(!run.stdout.contains("has the wrong"), "{}", run.text(&[]));

    let mut files = vec![summary, yaml];
    files.extend(files_below(&[&reports, &results, &docs]));
    for end in [".md", ".html", "checks.json", "summary.json", ".tap", ".sarif"] {
        assert!(files.iter().any(|file| file.ends_with(end)), "{end}: {files:?}");
    }
    for file in files {
        let text = read(&file);
        assert_eq!(controls(&text), Vec::<char>::new(), "{file}: {text:?}");
        assert!(!file.ends_with(".html") || !text.contains("<script>alert"), "{file}: {text}");
    }
}

#[test]
fn a_failure_of_a_trial() {
    let mut all = String::new();
    for faults in faults() {
        let faults: String = faults.iter().map(|fault| format!(" --fault '{fault}'")).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_no-target"));
        command.env("MCP_TEST_COMMAND", format!("'{MCP_TEST}' reference server --stdio{faults}"));
        all += &shown(command);
    }
    assert_quotes(&all);
}

mod on_purpose {
    //! Tests that fail, of a server that says the text wherever it can.

    use super::*;

    fn hostile() -> Target {
        let faults = faults().pop().unwrap_or_default();
        let arguments = faults.iter().flat_map(|fault| ["--fault", fault.as_str()]);
        let server = ["reference", "server", "--stdio"].into_iter().chain(arguments);
        Target::command(mcp_test::process::Command::new(MCP_TEST).args(server))
    }

    #[mcp_scenario(target = hostile)]
    #[ignore = "it fails on purpose"]
    async fn a_tool_is_missing(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_tool("no_such_tool");
        Ok(())
    }

    #[mcp_scenario(target = hostile)]
    #[ignore = "it fails on purpose"]
    async fn the_conversation_differs(ctx: &mut Ctx) -> Result<()> {
        ctx.list_resources().await?.assert_ok();
        Err(ctx.skip(CONTROLS))
    }
}

#[test]
fn a_failure_of_a_test() {
    let program = std::env::current_exe().expect("a program has a path");
    for test in ["a_tool_is_missing", "the_conversation_differs"] {
        let mut command = Command::new(&program);
        command.args(["--ignored", "--exact"]).arg(format!("hostile_text::on_purpose::{test}"));
        let text = shown(command);
        assert_quotes(&text);
        assert!(text.contains("1 failed"), "{text}");
    }
}
