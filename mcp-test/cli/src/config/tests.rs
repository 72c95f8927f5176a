//! Files with options, merged with command lines.

use std::fs;

use clap::{CommandFactory, Parser};
use tempfile::TempDir;

use super::*;
use crate::args::{Args, Command};

/// A directory with a file of options.
fn folder(name: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    fs::write(folder.path().join(name), text).expect("a file");
    folder
}

fn words(line: &str) -> Vec<OsString> {
    ["mcp-test"].into_iter().chain(line.split_whitespace()).map(OsString::from).collect()
}

/// The merged command line, or the error for it, where `mcp-test.toml` has this text.
fn merged(text: &str, line: &str) -> String {
    merged_in(&folder(FILE_NAME, text), line)
}

fn merged_in(folder: &TempDir, line: &str) -> String {
    let merged = match merge(words(line), Args::command, folder.path()) {
        Ok(merged) => merged,
        Err(error) => return format!("error: {error}"),
    };
    match Args::try_parse_from(&merged.args) {
        Ok(_) => {
            let words: Vec<_> = merged.args[1..].iter().map(|arg| arg.to_string_lossy()).collect();
            words.join(" ")
        }
        Err(error) => match merged.blame(&error) {
            Some(error) => format!("error: {error}"),
            None => error.to_string().lines().next().unwrap_or_default().to_owned(),
        },
    }
}

/// What `mcp-test config` prints.
fn shown(folder: &TempDir, line: &str) -> String {
    let args = Args::try_parse_from(words(line)).expect("arguments");
    let Command::Config(shown) = args.command else { panic!("another command") };
    match text(&args.config, &shown.command, Args::command(), folder.path()) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    }
}

const FILE: &str = r#"
timeout = "5s"
spec-version = 2025-11-25       # a date of TOML

[server]
suite = "all"
verbose = true

[check]
timeout = 7000
spec-version = ["2025-06-18", "2026-07-28"]
skip-call = ["reset"]

[cases.run]
tag = ["smoke"]
"#;

#[test]
fn options_are_those_of_the_innermost_table() {
    insta::assert_snapshot!(merged(FILE, "server --reference"), @"server --reference --spec-version=2025-11-25 --timeout=5s --verbose --suite=all");
    insta::assert_snapshot!(merged(FILE, "check --reference"), @"check --reference --skip-call=reset --spec-version=2025-06-18 --spec-version=2026-07-28 --timeout=7000");
    insta::assert_snapshot!(merged(FILE, "cases run a.yaml -- node server.js"), @"cases run a.yaml --tag=smoke --spec-version=2025-11-25 --timeout=5s -- node server.js");
    insta::assert_snapshot!(merged(FILE, "requirements ping"), @"requirements ping");
}

#[test]
fn the_command_line_overrides_the_file() {
    insta::assert_snapshot!(merged(FILE, "check --reference --timeout 1s --spec-version draft"), @"check --reference --timeout 1s --spec-version draft --skip-call=reset");
    // An option that excludes one of the file replaces it.
    insta::assert_snapshot!(merged(FILE, "server --reference --requirements 2025-11-25"), @"server --reference --requirements 2025-11-25 --timeout=5s --verbose");
    insta::assert_snapshot!(merged(FILE, "--no-config check --reference"), @"--no-config check --reference");
    // What follows belongs to the command under test.
    insta::assert_snapshot!(merged("", "check -- server --config no-such.toml"), @"check -- server --config no-such.toml");
}

const TARGET: &str = r#"
[check]
url = "http://user:hunter22@127.0.0.1:3000/mcp?token=hunter33"
header = ["X-Key=hunter44"]
command = ["node", "my server.js", "--api-key", "hunter55"]
call = "all"
"#;

#[test]
fn a_named_file_may_choose_the_target() {
    let folder = folder("ci.toml", TARGET);
    let file = folder.path().join("ci.toml");
    let file = file.to_string_lossy();
    let shown = |line: &str| merged_in(&folder, line).replace(&*file, "[file]");
    insta::assert_snapshot!(shown(&format!("check --config {file}")), @"check --config [file] --url=http://user:hunter22@127.0.0.1:3000/mcp?token=hunter33 --header=X-Key=hunter44 --call=all -- node my server.js --api-key hunter55");
    // The header and the command are those of the target in the file.
    insta::assert_snapshot!(shown(&format!("check --config {file} --url http://127.0.0.1:1/mcp")), @"check --config [file] --url http://127.0.0.1:1/mcp --call=all");
    insta::assert_snapshot!(shown("check --reference --config no-such.toml"), @"error: no-such.toml: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn a_file_that_was_found_is_limited() {
    let refused = |option: &str, line: &str| merged(&format!("\n[check]\n{option}"), line);
    for (option, line) in [
        (r#"command = ["rm", "-rf", "."]"#, "check"),
        (r#"url = "http://example.com/mcp""#, "check"),
        (r#"call = "delete_all""#, "check --reference"),
        (r#"output-dir = "../elsewhere""#, "check --reference"),
        (r#"report = "junit=/tmp/junit.xml""#, "check --reference"),
        (r#"schema = "2025-11-25=https://example.com/schema.json""#, "check --reference"),
    ] {
        let error = refused(option, line);
        assert!(error.starts_with("error: mcp-test.toml:3: "), "{option}: {error}");
        assert!(error.contains("--config mcp-test.toml"), "{option}: {error}");
    }
    insta::assert_snapshot!(refused(r#"command = ["server"]"#, "check"), @"error: mcp-test.toml:3: `command` determines which program is started; only a file that is named may do that: use `--config mcp-test.toml`, or give the option on the command line");
    insta::assert_snapshot!(refused(r#"call = "all""#, "check --reference"), @"error: mcp-test.toml:3: `call` lets tools be called that are not annotated as read-only; only a file that is named may do that: use `--config mcp-test.toml`, or give the option on the command line");
    insta::assert_snapshot!(refused(r#"write-baseline = "/tmp/known.yml""#, "check --reference"), @"error: mcp-test.toml:3: `write-baseline` names `/tmp/known.yml`, which is outside of the folder of the file; only a file that is named may do that: use `--config mcp-test.toml`, or give the option on the command line");
    insta::assert_snapshot!(merged(FIXTURES, "check --reference"), @"error: mcp-test.toml:3: `fixture` determines which tools are called; only a file that is named may do that: use `--config mcp-test.toml`, or give the option on the command line");
    // What narrows is allowed, and so is what is not used.
    insta::assert_snapshot!(refused(r#"call = "none""#, "check --reference"), @"check --reference --call=none");
    insta::assert_snapshot!(refused(r#"write-baseline = "known.yml""#, "check --reference"), @"check --reference --write-baseline=known.yml");
    insta::assert_snapshot!(refused(r#"command = ["server"]"#, "check --reference"), @"check --reference");
}

const FIXTURES: &str = r#"
[fixtures]
test_simple_text = "my_tool"
"test://static-text" = { name = "file:///a" }
test_error_handling = { name = "fail", arguments = { code = 0x10 } }
"#;

#[test]
fn a_named_file_may_replace_fixtures() {
    let folder = folder("ci.toml", FIXTURES);
    insta::assert_snapshot!(merged_in(&folder, "check --reference --config ci.toml"), @r#"check --reference --config ci.toml --fixture=test_simple_text=my_tool --fixture=test://static-text=file:///a --fixture=test_error_handling=fail={"code":16}"#);
    insta::assert_snapshot!(merged_in(&folder, "check --reference --config ci.toml --fixture test_simple_text=other"), @"check --reference --config ci.toml --fixture test_simple_text=other");
    let unknown = self::folder("ci.toml", "[fixtures]\ntest_simple_txt = \"a\"\n");
    insta::assert_snapshot!(merged_in(&unknown, "check --reference --config ci.toml"), @"error: ci.toml:2: invalid value 'test_simple_txt=a' for '--fixture <FIXTURE=NAME[=JSON]>': no fixture is named `test_simple_txt`; did you mean `test_simple_text`?");
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let errors = [
        "[check\ntimeout = 1",
        "timeot = 1",
        "[chek]\ntimeout = 1",
        "[check]\n--spec_version = 1",
        "[cases]\nsuite = \"all\"",
        "[check]\ntimeout = \"soon\"",
        "[check]\n\nspec-version = \"2025-06-19\"",
        "[check]\nverbose = \"yes\"",
        "[check]\ntimeout = [1, 2]",
        "[check]\ntimeout = true",
        "[check]\ncommand = \"node server.js\"",
        "[check]\nspec-version = [[1]]",
        "[check]\nno-timestamps = true",
        "[fixtures]\ntest_simple_text = 7",
        "[fixtures]\ntest_simple_text = { arguments = {} }",
        "[fixtures]\ntest_simple_text = { name = \"a\", args = {} }",
    ];
    let errors = errors.map(|text| merged(text, "check --reference"));
    insta::assert_snapshot!(errors.join("\n"), @"
    error: mcp-test.toml:1: unclosed table, expected `]`
    error: mcp-test.toml:1: no command has an option `timeot`; did you mean `timeout`?
    error: mcp-test.toml:1: `chek` is not a command; did you mean `check`?
    error: mcp-test.toml:2: `mcp-test check` does not have an option `--spec_version`; did you mean `spec-version`?
    error: mcp-test.toml:2: `mcp-test cases` does not have an option `suite`
    error: mcp-test.toml:2: invalid value 'soon' for '--timeout <TIME>': expected milliseconds (`30000`) or a number with a unit (`500ms`, `5s`, `2m`), more than 0
    error: mcp-test.toml:3: invalid value '2025-06-19' for '--spec-version <REVISION>': `2025-06-19` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    error: mcp-test.toml:2: `verbose`: expected `true` or `false`, got a string
    error: mcp-test.toml:2: `timeout`: expected one value, got an array
    error: mcp-test.toml:2: `timeout`: expected a string or a number, got `true` or `false`
    error: mcp-test.toml:2: `command`: expected an array of the program and its arguments, got a string
    error: mcp-test.toml:2: `spec-version`: expected a string or a number, got an array
    error: the following required arguments were not provided:
    error: mcp-test.toml:2: `test_simple_text`: expected a name or a table, got a number
    error: mcp-test.toml:2: `test_simple_text`: expected a member `name`
    error: mcp-test.toml:2: `test_simple_text`: expected `name` and `arguments`, got `args`
    ");
}

#[test]
fn fixtures_are_values_of_their_option() {
    let text = r#"
        test_simple_text = "my_tool"
        test_prompt_with_arguments = { name = "greet", arguments = { who = "x", times = 0x10, at = 2026-01-01, list = [1.5, true] } }
    "#;
    let table = toml::de::DeTable::parse(text).expect("TOML");
    let values =
        table.get_ref().iter().map(|(key, value)| fixtures::value(key.get_ref(), value.get_ref()));
    let values: Result<Vec<String>, String> = values.collect();
    insta::assert_snapshot!(values.expect("fixtures").join("\n"), @r#"
    test_prompt_with_arguments=greet={"at":"2026-01-01","list":[1.5,true],"times":16,"who":"x"}
    test_simple_text=my_tool
    "#);
}

#[test]
fn each_value_is_shown_with_its_source() {
    let found = folder(FILE_NAME, FILE);
    insta::assert_snapshot!(shown(&found, "config"), @"
    command        option        value                   from
    every command  timeout       5s                      mcp-test.toml:2
    every command  spec-version  2025-11-25              mcp-test.toml:3
    server         suite         all                     mcp-test.toml:6
    server         verbose       true                    mcp-test.toml:7
    check          timeout       7000                    mcp-test.toml:10
    check          spec-version  2025-06-18, 2026-07-28  mcp-test.toml:11
    check          skip-call     reset                   mcp-test.toml:12
    cases run      tag           smoke                   mcp-test.toml:15
    ");
    insta::assert_snapshot!(shown(&found, "config check --reference --spec-version draft"), @"
    mcp-test check

    option        value  from
    reference     true   command line
    skip-call     reset  mcp-test.toml:12
    retries       0      default
    spec-version  draft  command line, in place of mcp-test.toml:11
    timeout       7000   mcp-test.toml:10
    format        human  default
    color         auto   default
    ");
    insta::assert_snapshot!(shown(&found, "config chek"), @"error: there is no command `chek`; did you mean `check`?");
    insta::assert_snapshot!(shown(&found, "config check --bad"), @"error: unexpected argument '--bad' found");
    insta::assert_snapshot!(shown(&tempfile::tempdir().expect("a directory"), "config"), @"no file: neither --config nor mcp-test.toml in the current directory");
}

#[test]
fn secrets_of_the_file_are_not_shown() {
    let found = folder(FILE_NAME, TARGET);
    let named = folder("ci.toml", TARGET);
    let file = named.path().join("ci.toml");
    let file = file.to_string_lossy();
    let named = shown(&named, &format!("config --config {file} check")).replace(&*file, "[file]");
    insta::assert_snapshot!(named, @"
    mcp-test check

    option   value                                     from
    url      http://127.0.0.1:3000/mcp?token=[secret]  [file]:3
    header   X-Key=<value>                             [file]:4
    command  node, my server.js, --api-key, [secret]   [file]:5
    call     all                                       [file]:6
    retries  0                                         default
    timeout  30s                                       default
    format   human                                     default
    color    auto                                      default
    ");
    let found = shown(&found, "config");
    insta::assert_snapshot!(found, @"
    command  option   value                                     from
    check    url      http://127.0.0.1:3000/mcp?token=[secret]  mcp-test.toml:3, only with --config mcp-test.toml
    check    header   X-Key=<value>                             mcp-test.toml:4, only with --config mcp-test.toml
    check    command  node, my server.js, --api-key, [secret]   mcp-test.toml:5, only with --config mcp-test.toml
    check    call     all                                       mcp-test.toml:6, only with --config mcp-test.toml
    ");
    assert!(!format!("{named}{found}").contains("hunter"));
}

#[test]
fn the_run_says_which_options_come_from_the_file() {
    let folder = folder(FILE_NAME, FILE);
    let note = |line| {
        merge(words(line), Args::command, folder.path())
            .expect("arguments")
            .note()
            .unwrap_or_default()
    };
    insta::assert_snapshot!(note("check --reference --timeout 1s"), @"mcp-test.toml sets `skip-call` and `spec-version`");
    insta::assert_snapshot!(note("requirements"), @"");
}
