//! What the commands say, wrong usage first.

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::args::Args;
use super::*;

/// What is said to arguments that make no sense.
fn refused(line: &str) -> String {
    let words = ["mcp-test"].into_iter().chain(line.split_whitespace());
    match Args::try_parse_from(words) {
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{line}");
            error.to_string()
        }
        Ok(args) => match obey(args) {
            Err(error) => {
                assert_eq!(error.exit().number(), 2, "{line}");
                format!("error: {error}")
            }
            Ok(code) => panic!("`{line}` ended with {code}"),
        },
    }
}

fn printed(line: &str) -> String {
    let words = ["mcp-test"].into_iter().chain(line.split_whitespace());
    match Args::try_parse_from(words).expect("arguments").command {
        Command::List(args) => list::text(&args),
        Command::Explain(args) => explain::text(&args.id),
        Command::Requirements(args) => requirements::text(&args),
        _ => panic!("`{line}` prints nothing by itself"),
    }
    .unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn the_grammar_is_sound() {
    Args::command().debug_assert();
}

#[test]
fn version_and_help_are_no_errors() {
    for (line, kind) in [("-V", ErrorKind::DisplayVersion), ("help", ErrorKind::DisplayHelp)] {
        let error = Args::try_parse_from(["mcp-test", line]).expect_err("not a command");
        assert_eq!((error.kind(), error.exit_code()), (kind, 0));
    }
}

#[test]
fn help_names_the_commands() {
    insta::assert_snapshot!(Args::command().term_width(100).render_help(), @"");
}

#[test]
fn wrong_words_are_told_what_would_be_right() {
    insta::assert_snapshot!(refused("serve"), @"");
    insta::assert_snapshot!(refused("server --reference --scenaro ping"), @"");
    insta::assert_snapshot!(refused("server --reference --url http://localhost:1"), @"");
    insta::assert_snapshot!(refused("check --env A=b --url http://localhost:1"), @"");
    insta::assert_snapshot!(refused("reference server"), @"");
}

#[test]
fn wrong_values_are_told_what_would_be_right() {
    insta::assert_snapshot!(refused("server --reference --spec-version 2025-06-19"), @"");
    insta::assert_snapshot!(refused("server --reference --timeout abc"), @"");
    insta::assert_snapshot!(refused("server --reference --jobs 0"), @"");
    insta::assert_snapshot!(refused("server --reference --suite actve"), @"");
    insta::assert_snapshot!(refused("server --reference --profile lenient"), @"");
    insta::assert_snapshot!(refused("server --reference --transport tcp"), @"");
    insta::assert_snapshot!(refused("server --reference --format xml"), @"");
    insta::assert_snapshot!(refused("reference server --stdio --fault remve:tools/list:/tools"), @"");
    insta::assert_snapshot!(refused("reference server --listen example.org:80"), @"");
}

#[test]
fn wrong_choices_are_told_what_would_be_right() {
    insta::assert_snapshot!(refused("server"), @"");
    insta::assert_snapshot!(refused("server --reference --scenario tool-list"), @"");
    insta::assert_snapshot!(refused("server --reference --transport stdio"), @"");
    insta::assert_snapshot!(refused("server --reference --expected-failures /no/such/file.yaml"), @"");
    insta::assert_snapshot!(refused("explain tools-lst"), @"");
    insta::assert_snapshot!(refused("requirements xyzzy"), @"");
}

#[test]
fn scenarios_are_listed_as_officially() {
    insta::assert_snapshot!(printed("list"), @"");
    insta::assert_snapshot!(printed("list --server --spec-version draft"), @"");
    assert_eq!(printed("list --client"), "Client scenarios (test against a client):\n");
}

#[test]
fn faults_are_listed_with_their_form() {
    let text = printed("list --faults");
    assert!(text.lines().any(|line| line.contains("remove:METHOD:POINTER")), "{text}");
}

#[test]
fn a_scenario_is_explained() {
    insta::assert_snapshot!(printed("explain ping"), @"");
}

#[test]
fn a_check_is_explained() {
    insta::assert_snapshot!(printed("explain tools-name-format"), @"");
    assert!(printed("explain wire-well-formed").contains("every scenario"));
}

#[test]
fn a_requirement_is_explained() {
    insta::assert_snapshot!(printed("explain tools.name.unique"), @"");
}

#[test]
fn requirements_are_found_by_words() {
    insta::assert_snapshot!(printed("requirements tools.name"), @"");
    let json = printed("requirements --format json tools.name.unique");
    let document = crate::json::Value::parse(json.as_bytes()).expect("JSON").value;
    assert_eq!(document.at("/0/id").and_then(crate::json::Value::as_str), Some("tools.name.unique"));
    assert_eq!(printed("requirements --format json xyzzy"), "[]\n");
}

/// The good server passes, in process, with every report that there is.
#[test]
fn the_reference_server_passes() {
    let out = tempfile::tempdir().expect("a directory");
    let path = out.path().to_str().expect("UTF-8");
    let args = ["mcp-test", "check", "--reference", "--scenario", "ping", "--format", "json", "-o", path];
    let code = obey(Args::try_parse_from(args).expect("arguments")).unwrap_or_else(|error| panic!("{error}"));
    let summary = std::fs::read(out.path().join("summary.json")).expect("a summary");
    let summary = crate::json::Value::parse(&summary).expect("JSON").value;
    assert_eq!((code, summary.at("/exitCode").and_then(crate::json::Value::as_i64)), (0, Some(0)), "{summary}");
    assert!(summary.at("/cells/0/directory").is_some(), "{summary}");
}
