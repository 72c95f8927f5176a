//! The README and the guide are true: their commands run, and the failure that the README shows is one that happens.
//!
//! The scenario of `shown` fails, so it is ignored; a test starts this binary once more to run it.

use std::collections::BTreeSet;
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

/// The pages whose commands are run.
const PAGES: [&str; 5] = [
    "README.md",
    "mcp-test/src/guide/command_line.md",
    "mcp-test/src/guide/continuous_integration.md",
    "mcp-test/src/guide/contracts.md",
    "mcp-test/src/guide/migrating.md",
];

/// The fenced blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(String, String)> {
    let text = read(page);
    let parts: Vec<&str> = text.split("```").collect();
    parts
        .iter()
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .map(|(language, text)| (language.to_owned(), text.to_owned()))
        .collect()
}

fn block(language: &str) -> String {
    let mut found =
        blocks("README.md").into_iter().filter(|(own, _)| own == language).map(|(_, text)| text);
    match (found.next(), found.next()) {
        (Some(text), None) => text,
        _ => panic!("the README should have exactly one block of {language}"),
    }
}

/// The commands of all pages, without the prompt.
fn commands() -> Vec<String> {
    let blocks = PAGES.into_iter().flat_map(blocks);
    blocks
        .filter(|(language, _)| language == "console")
        .flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| match line.strip_prefix("$ ") {
            Some(command) => command.to_owned(),
            None => panic!("a line of a console block should begin with `$ `: {line}"),
        })
        .collect()
}

/// Runs a command line with the binary of this build as `mcp-test`.
fn run(command: &str) -> Output {
    let line =
        command.replace("cargo mcp-test", "mcp-test").replace("mcp-test ", &format!("{CLI} "));
    Command::new("sh")
        .args(["-c", &line])
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .unwrap_or_else(|error| panic!("sh -c {line}: {error}"))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

mod shown {
    //! What the README shows: the test of a server that omits the caching hints, as rmcp before 3.5.1 did.

    use mcp_test::prelude::*;
    use rmcp::handler::server::wrapper::Parameters;
    use rmcp::model::{ClientNotification, ClientRequest, ErrorData, ServerConfig, ServerResult};
    use rmcp::service::{NotificationContext, RequestContext};
    use rmcp::{RoleServer, Service, ServiceExt, schemars, tool, tool_router};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Operands {
        a: f64,
        b: f64,
    }

    struct Tools;

    #[tool_router(server_handler)]
    impl Tools {
        #[tool(description = "Adds two numbers")]
        fn add(&self, Parameters(Operands { a, b }): Parameters<Operands>) -> String {
            (a + b).to_string()
        }
    }

    /// The tools, in lists without the caching hints.
    struct Calculator;

    impl Service<RoleServer> for Calculator {
        async fn handle_request(
            &self,
            request: ClientRequest,
            context: RequestContext<RoleServer>,
        ) -> std::result::Result<ServerResult, ErrorData> {
            let mut result = Tools.handle_request(request, context).await?;
            if let ServerResult::ListToolsResult(list) = &mut result {
                (list.ttl_ms, list.cache_scope) = (None, None);
            }
            Ok(result)
        }

        async fn handle_notification(
            &self,
            notification: ClientNotification,
            context: NotificationContext<RoleServer>,
        ) -> std::result::Result<(), ErrorData> {
            Tools.handle_notification(notification, context).await
        }

        fn get_info(&self) -> ServerConfig {
            Service::get_info(&Tools)
        }
    }

    mcp_test::target!(calculator);

    fn calculator() -> Target {
        Target::duplex(|io| async move {
            Calculator.serve(io).await?.waiting().await?;
            Ok(())
        })
    }

    #[mcp_scenario]
    #[ignore = "fails on purpose"]
    async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_tool("add").assert_requires("a").assert_requires("b");
        ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
        Ok(())
    }
}

#[test]
fn the_failing_test_looks_as_shown() {
    let own = std::env::current_exe().expect("a test has a path");
    let output = Command::new(own)
        .args(["--ignored", "--exact", "shown::adds_two_numbers", "--nocapture"])
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("this binary runs again");
    assert_eq!(output.status.code(), Some(101), "{}", stdout(&output));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let from = stderr.find("scenario `").unwrap_or_else(|| panic!("no failure:\n{stderr}"));
    // The place is that of a user's file.
    let code = block("rust,ignore");
    let function = code.lines().position(|line| line.starts_with("async fn "));
    let function = function.expect("the block has a scenario") + 1;
    let shown = stderr[from..].lines().map(|line| match line.find(", tests/tests/readme.rs:") {
        Some(at) => format!("{}, tests/mcp.rs:{function}:10", &line[..at]),
        None => line.trim_end().to_owned(),
    });
    let shown = shown.collect::<Vec<_>>().join("\n");
    let shown = shown.trim_end();
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
fn the_test_shown_is_the_one_that_fails() {
    let code = block("rust,ignore");
    let indented: Vec<String> = read("tests/tests/readme.rs")
        .lines()
        .filter(|line| *line != "    #[ignore = \"fails on purpose\"]")
        .map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned())
        .collect();
    let own = indented.join("\n");
    let (_, code) = code.split_once("mcp_test::target!").expect("the block names a target");
    for part in code.trim().split("\n\n") {
        assert!(own.contains(part), "tests/tests/readme.rs should contain\n{part}");
    }
}

/// The example is a test of its own package, so that it compiles and passes.
#[test]
fn the_test_shown_is_an_example() {
    let example = read("examples/tests/first.rs");
    let (_, pasted) = example.split_once("\n\n").expect("a doc comment comes first");
    pretty_assertions::assert_eq!(block("rust,ignore"), pasted);
}

/// The recipes are tests of the examples' package.
#[test]
fn the_recipes_of_the_cookbook_are_in_an_example() {
    let example = read("examples/tests/cookbook.rs");
    let page = read("mcp-test/src/guide/cookbook.md");
    let blocks: Vec<&str> = page.split("```rust,ignore\n").skip(1).collect();
    assert_eq!(blocks.len(), 8);
    for block in blocks {
        let (code, _) = block.split_once("```").expect("the block ends");
        assert!(example.contains(code), "not in the example:\n{code}");
    }
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
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("Total: "), "{}", stdout(&output));
}

/// The names in a text that begin with `assert_`.
fn assertions(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.len() > 7 && word.starts_with("assert_")).map(str::to_owned).collect()
}

/// The assertions that the library declares.
fn declared_assertions() -> BTreeSet<String> {
    let folder = root().join("mcp-test/core/src/assert");
    let files = std::fs::read_dir(&folder).expect("the folder of the assertions");
    let mut declared = BTreeSet::new();
    let files = files.filter_map(Result::ok).filter(|file| file.path().is_file());
    // The macros themselves show the form of a declaration.
    for file in files.filter(|file| file.file_name() != "macros.rs") {
        let source = std::fs::read_to_string(file.path()).expect("a source file");
        // As `assertions!` declares them: `assert_text / try_text (self, …)`.
        let lines = source.lines().filter_map(|line| line.split_once(" / try_"));
        declared.extend(lines.flat_map(|(name, _)| assertions(name)));
    }
    assert!(declared.len() > 70, "{declared:?}");
    declared
}

#[test]
fn the_guide_lists_every_assertion() {
    let mut declared = declared_assertions();
    for folder in ["core/src/scenario", "core/src/server", "src/cases/serve"] {
        let folder = root().join("mcp-test").join(folder);
        let files = std::fs::read_dir(&folder).expect("a folder with methods of their own");
        for file in files.filter_map(Result::ok).filter(|file| file.path().is_file()) {
            let source = std::fs::read_to_string(file.path()).expect("a source file");
            let methods = source.lines().filter_map(|line| line.split_once("pub fn assert_"));
            let names = methods.filter_map(|(_, rest)| Some(rest.split_once('(')?.0));
            declared.extend(names.map(|name| format!("assert_{name}")));
        }
    }
    for method in ["assert_golden_of", "assert_verified", "assert_all_used"] {
        assert!(declared.contains(method), "{method} was not found: {declared:?}");
    }
    let listed = assertions(&read("mcp-test/src/guide/assertions.md"));
    pretty_assertions::assert_eq!(listed, declared);
}

#[test]
fn every_assertion_is_used_in_an_example() {
    let folders = ["examples/tests", "examples/tests/notes"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path()).filter(|path| path.is_file());
    let used: BTreeSet<String> = paths
        .flat_map(|path| assertions(&std::fs::read_to_string(path).expect("a source file")))
        .collect();
    let listed = assertions(&read("mcp-test/src/guide/assertions.md"));
    let unused: Vec<&String> = listed.difference(&used).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn every_assertion_is_seen_to_fail() {
    let mut tests = [
        "mcp-test/core/src/scenario/context/tests.rs",
        "mcp-test/core/src/scenario/notification_waits.rs",
    ]
    .map(read)
    .join("\n");
    let folder = root().join("mcp-test/core/src/assert/tests");
    for file in std::fs::read_dir(&folder).expect("the tests of the assertions") {
        tests += &std::fs::read_to_string(file.expect("a file").path()).expect("a source file");
    }
    for assertion in declared_assertions() {
        let twin = assertion.replacen("assert_", ".try_", 1);
        assert!(
            tests.contains(&format!("{twin}(")) || tests.contains(&format!("{twin}::<")),
            "{twin}"
        );
    }
}

#[test]
fn ci_runs_the_test_command() {
    let command = "cargo test --workspace --all-features";
    assert!(commands().iter().any(|line| line == command));
    let ci = read(".ci/run").replace(" --locked", "");
    assert!(ci.contains(command), "`.ci/run` should run `{command}`");
}

/// Whether a command tests the reference server, or only prints something.
fn needs_nothing(line: &str) -> bool {
    ["--reference", " list", " completions ", " man ", " requirements ", " config"]
        .iter()
        .any(|it| line.contains(it))
}

#[test]
fn commands_that_need_no_other_server_succeed() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|line| line.starts_with("mcp-test ") && needs_nothing(line))
        .filter(|line| !line.contains(" cases ") && !line.contains(" --record "))
        .collect();
    assert!(commands.len() >= 8, "{commands:#?}");
    let folder = tempfile::tempdir().expect("a folder");
    for command in commands {
        let elsewhere = command
            .replace("-o results", &format!("-o {}", folder.path().join("results").display()))
            .replace("=junit.xml", &format!("={}", folder.path().join("junit.xml").display()));
        let output = run(&elsewhere);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{elsewhere}\n{stderr}");
    }
}

/// Commands on servers that are not here have nothing to test, which is exit code 3; wrong usage would be 2.
#[test]
fn the_other_commands_are_understood() {
    let others: Vec<String> = commands()
        .into_iter()
        .filter(|line| line.starts_with("mcp-test "))
        .filter(|line| {
            !["--reference", "--fault", " validate ", " cases ", " --record "]
                .iter()
                .any(|it| line.contains(it))
        })
        .filter(|line| !needs_nothing(line))
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
            .replace("/tmp/scratch", &output_dir.display().to_string())
            .replace("baseline.yml", &baseline.display().to_string())
            .replace("=schema.json", &format!("={}", schema.display()));
        let reports = ["junit.xml", "comment.md", "mcp.sarif", "ctrf.json", "mcp.tap"];
        let elsewhere = reports.iter().fold(elsewhere, |command, file| {
            command.replace(&format!("={file}"), &format!("={}", output_dir.join(file).display()))
        });
        let output = run(&elsewhere);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{elsewhere}\n{stderr}");
        std::fs::remove_dir_all(&output_dir).expect("the directory can be removed");
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
        let here = command
            .replace("tool.json", &tool)
            .replace("conversation.jsonl", &conversation)
            .replace("recorded/calculator-adds_two_numbers.jsonl", &conversation);
        let output = run(&here);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{here}\n{}{stderr}", stdout(&output));
    }
    std::fs::remove_dir_all(&directory).expect("the directory can be removed");
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
            .replace(" contracts", " tests/contracts/everything")
            .replace("--allow-commands --url http://127.0.0.1:1234/mcp", "--reference")
            .replace(
                " recorded --url http://127.0.0.1:3000/mcp",
                " tests/contracts/everything --reference",
            )
            .replace("--listen 3000", "--stdio < /dev/null")
            .replace("--listen 0.0.0.0:3000 --allow-host mocks.internal", "--stdio < /dev/null")
            .replace("-o docs", &format!("-o {}", directory.display()))
            .replace(
                "conversation.yaml",
                &directory.join("conversation.yaml").display().to_string(),
            );
        let output = run(&here);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{here}\n{}{stderr}", stdout(&output));
    }
    let mut written: Vec<String> = std::fs::read_dir(&directory)
        .expect("the directory exists")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    written.sort();
    assert_eq!(written, ["conversation.yaml", "everything.html", "everything.md"]);
    std::fs::remove_dir_all(&directory).expect("the directory can be removed");
}
