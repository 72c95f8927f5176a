//! The README is true: its commands run, its output is what comes, its code is what the examples run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, json_schema};
use mcp_test::transport::Fault;

const CLI: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().map_or_else(|| tests.to_path_buf(), Path::to_path_buf)
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The fenced blocks of the README, each with its language.
fn blocks() -> Vec<(String, String)> {
    let readme = read("README.md");
    let parts: Vec<&str> = readme.split("```").collect();
    parts
        .iter()
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .map(|(language, text)| (language.to_owned(), text.to_owned()))
        .collect()
}

fn block(language: &str) -> String {
    let mut found = blocks().into_iter().filter(|(own, _)| own == language).map(|(_, text)| text);
    match (found.next(), found.next()) {
        (Some(text), None) => text,
        _ => panic!("the README should have exactly one block of {language}"),
    }
}

/// The commands of the README, without the prompt.
fn commands() -> Vec<String> {
    let consoles = blocks().into_iter().filter(|(language, _)| language == "console");
    consoles
        .flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| match line.strip_prefix("$ ") {
            Some(command) => command.to_owned(),
            None => panic!("a line of a console block should begin with `$ `: {line}"),
        })
        .collect()
}

/// Runs a command line with `cargo mcp-test` standing for the binary of this build.
fn run(command: &str) -> Output {
    let line = command.replace("cargo mcp-test", CLI);
    Command::new("sh")
        .args(["-c", &line])
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap_or_else(|error| panic!("sh -c {line}: {error}"))
}

fn shown(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).replace(CLI, "cargo mcp-test");
    let line = |line: &str| match line.split_once("Z [") {
        // The time of a check.
        Some((time, rest)) if time.starts_with("20") => format!("2026-11-21T12:00:00.000Z [{rest}"),
        _ => line.trim_end().to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_failing_check_looks_as_shown() {
    let commands = commands();
    let command = commands.iter().find(|command| command.contains("--fault"));
    let output = run(command.expect("the README shows a fault"));
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = shown(&output);
    if std::env::var_os("UPDATE_README").is_some() {
        let readme = read("README.md")
            .replace(&format!("```text\n{}```", block("text")), &format!("```text\n{shown}\n```"));
        std::fs::write(root().join("README.md"), readme).expect("the README is writable");
        return;
    }
    pretty_assertions::assert_eq!(
        block("text").trim_end(),
        shown,
        "UPDATE_README=1 cargo test -p mcp-test-tests --test readme brings the README up to date"
    );
}

#[test]
fn every_fault_shown_is_one() {
    let words: Vec<String> =
        commands().iter().flat_map(|line| line.split(' ').map(str::to_owned)).collect();
    let faults = words.windows(2).filter(|pair| pair[0] == "--fault").map(|pair| &pair[1]);
    let read: Vec<Fault> =
        faults.map(|word| word.parse().unwrap_or_else(|why| panic!("{why}"))).collect();
    assert!(read.len() > 4, "{read:?}");
}

#[test]
fn the_main_job_runs_on_the_reference_server() {
    let command = "cargo mcp-test server --reference";
    assert!(commands().iter().any(|line| line == command));
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(shown(&output).contains("Total: "), "{}", shown(&output));
}

#[test]
fn ci_runs_the_test_command() {
    let command = "cargo test --workspace --all-features";
    assert!(commands().iter().any(|line| line == command));
    let ci = read(".ci/run").replace(" --locked", "");
    assert!(ci.contains(command), "`.ci/run` should run `{command}`");
}

/// Commands on servers that are not here have nothing to test, which is exit code 3; wrong usage would be 2.
#[test]
fn the_other_commands_are_understood() {
    let others: Vec<String> = commands()
        .into_iter()
        .filter(|line| line.starts_with("cargo mcp-test"))
        .filter(|line| {
            !["--reference", "--fault", " validate ", " cases ", " --record "]
                .iter()
                .any(|it| line.contains(it))
        })
        .collect();
    assert!(others.len() >= 3, "{others:#?}");
    for command in others {
        let output_dir =
            std::env::temp_dir().join(format!("mcp-test-readme-{}", std::process::id()));
        std::fs::create_dir_all(&output_dir).expect("a directory for files");
        let baseline = output_dir.join("baseline.yml");
        std::fs::write(&baseline, "server: []\n").expect("a baseline");
        let schema = output_dir.join("schema.json");
        let document = json_schema(Revision::V2025_11_25, Authority::Schema);
        std::fs::write(&schema, document.to_string()).expect("a schema");
        let elsewhere = command
            .replace("npx -y @modelcontextprotocol/server-everything", "false")
            .replace(":3000/", ":9/")
            .replace(":3001/", ":9/")
            .replace("-o results", &format!("-o {}", output_dir.display()))
            .replace("baseline.yml", &baseline.display().to_string())
            .replace("=schema.json", &format!("={}", schema.display()));
        let output = run(&elsewhere);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{elsewhere}\n{said}");
        std::fs::remove_dir_all(&output_dir).expect("the directory goes again");
    }
}

#[test]
fn files_are_validated() {
    let commands: Vec<String> =
        commands().into_iter().filter(|line| line.contains(" validate ")).collect();
    assert!(commands.len() >= 3, "{commands:#?}");
    let directory =
        std::env::temp_dir().join(format!("mcp-test-readme-validate-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for files");
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let tool = write("tool.json", r#"{"name": "add", "inputSchema": {"type": "object"}}"#);
    let conversation = write(
        "conversation.jsonl",
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}"#,
            "\n",
        ),
    );
    for command in commands {
        let here = command.replace("tool.json", &tool).replace("conversation.jsonl", &conversation);
        let output = run(&here);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{here}\n{}{said}", shown(&output));
    }
    std::fs::remove_dir_all(&directory).expect("the directory goes again");
}

/// Each runs, with the reference server in the place of other people's, and the runner itself as a client.
#[test]
fn cases_are_run_served_and_documented() {
    let commands = commands();
    let commands =
        commands.iter().filter(|line| line.contains(" cases ") || line.contains(" --record "));
    let commands: Vec<&String> = commands.collect();
    assert!(commands.len() >= 6, "{commands:#?}");
    let directory =
        std::env::temp_dir().join(format!("mcp-test-readme-cases-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for files");
    let reference = format!("{CLI} reference server --stdio");
    let client = format!("{CLI} cases run tests/contracts/everything/tools.yaml --url");
    for command in commands {
        let here = command
            .replace("npx -y @modelcontextprotocol/server-everything", &reference)
            .replace("my-mcp-client --quiet", &client)
            .replace("--listen 3000", "--stdio < /dev/null")
            .replace("-o docs", &format!("-o {}", directory.display()))
            .replace(
                "conversation.yaml",
                &directory.join("conversation.yaml").display().to_string(),
            );
        let output = run(&here);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{here}\n{}{said}", shown(&output));
    }
    let mut written: Vec<String> = std::fs::read_dir(&directory)
        .expect("the directory is there")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    written.sort();
    assert_eq!(written, ["conversation.yaml", "everything.html", "everything.md"]);
    std::fs::remove_dir_all(&directory).expect("the directory goes again");
}

#[test]
fn the_first_test_is_one_that_the_examples_run() {
    let code = block("rust,no_run");
    assert!(code.lines().filter(|line| !line.is_empty()).count() < 12, "{code}");
    let (_, scenario) = code.split_once("#[mcp_scenario]").expect("the block has a scenario");
    let scenario = scenario.replace(" // the whole conversation, as an insta snapshot", "");
    let example = read("examples/tests/calculator.rs");
    assert!(
        example.contains(scenario.trim()),
        "examples/tests/calculator.rs should contain\n{scenario}"
    );
}

#[test]
fn the_manifest_lines_name_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let short = version.rsplit_once('.').map_or(version, |(short, _)| short);
    assert!(block("toml").contains(&format!("mcp-test = \"{short}\"")), "{}", block("toml"));
}

#[test]
fn the_count_of_requirements_is_right() {
    let count = mcp_test::spec::requirement::all().len();
    let thousands = format!("{},{:03}", count / 1000, count % 1000);
    assert!(
        read("README.md").contains(&format!("the {thousands} normative requirements")),
        "{count}"
    );
}
