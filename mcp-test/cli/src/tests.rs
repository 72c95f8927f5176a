//! The output of the commands, wrong usage first.

use clap::CommandFactory;
use clap::error::ErrorKind;
use mcp_test_core::json::Value;
use mcp_test_core::spec::Side;
use mcp_test_core::transport::fault::FAULT_KINDS;

use super::args::Args;
use super::*;

/// The error for invalid arguments.
fn refused(line: &str) -> String {
    let words = ["mcp-test"].into_iter().chain(line.split_whitespace());
    match Args::try_parse_from(words) {
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{line}");
            error.to_string()
        }
        Ok(args) => match dispatch(args) {
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
        Command::Explain(args) => explain::text(&args),
        Command::Requirements(args) => requirements::text(&args),
        Command::Completions(args) => Ok(documentation::completions(&args)),
        Command::Man(args) => documentation::man(&args),
        _ => panic!("`{line}` prints nothing by itself"),
    }
    .unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn the_arguments_are_consistent() {
    Args::command().debug_assert();
}

#[test]
fn version_and_help_are_not_errors() {
    for (line, kind) in [("-V", ErrorKind::DisplayVersion), ("help", ErrorKind::DisplayHelp)] {
        let error = Args::try_parse_from(["mcp-test", line]).expect_err("not a command");
        assert_eq!((error.kind(), error.exit_code()), (kind, 0));
    }
}

/// The suites of the official suite that have no scenario here cannot be run.
#[test]
fn help_names_the_suites_of_the_command() {
    let suites = |command: &str| {
        let error = Args::try_parse_from(["mcp-test", command, "--help"]).expect_err("the help");
        let help = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, after) = help.split_once("Run a suite").expect("the option");
        after.split(" --requirements").next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(["server", "check", "client"].map(suites).join("\n"), @"
    : active, all, draft, pending [default: active in profile official, otherwise all]
    : active, all, draft, pending [default: active in profile official, otherwise all]
    : all, core, extensions, backcompat, auth, metadata, draft, sep-835 [default: none in profile official, which requires it or --scenario; otherwise all]
    ");
}

/// All commands that do something, with their whole names.
fn commands(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
    let below = command.get_subcommands().filter(|it| it.get_name() != "help");
    let below: Vec<_> =
        below.flat_map(|it| commands(it, &format!("{name} {}", it.get_name()))).collect();
    if below.is_empty() { vec![(name.trim().to_owned(), command.clone())] } else { below }
}

/// The options that take a value and have no default: without them, something is not done, or nothing is left out.
const WITHOUT_DEFAULT: [&str; 36] = [
    "address",
    "client_id",
    "client_secret",
    "clients",
    "command",
    "cwd",
    "definition",
    "downstream",
    "env",
    "expected_failures",
    "faults",
    "file",
    "fixtures",
    "given_command",
    "headers",
    "hosts",
    "inputs",
    "known",
    "allow",
    "output",
    "output_dir",
    "protected",
    "record",
    "resource",
    "revision",
    "save_cases",
    "save_tests",
    "schemas",
    "shard",
    "tags",
    "tokens",
    "url",
    "write_baseline",
    "call",
    "get_prompt",
    "read",
];

/// Options that select from everything.
const SELECTIONS: [&str; 7] =
    ["cases", "pages", "requirements", "scenarios", "skip_tags", "skipped", "transports"];

#[test]
fn help_shows_defaults_and_possible_values() {
    let mut root = Args::command();
    root.build();
    let mut shown = 0;
    for (name, mut command) in commands(&root, "") {
        let help = command.render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for arg in command.get_arguments().filter(|arg| arg.get_long().is_some()) {
            let long = arg.get_long().unwrap_or_default();
            let (_, own) =
                help.split_once(&format!("--{long} ")).unwrap_or_else(|| panic!("{name} --{long}"));
            // The text of an option ends with that of the next one, which may be below a heading of another kind.
            let own = own.split(" --").next().unwrap_or_default();
            let possible = arg.get_possible_values();
            if !arg.get_action().takes_values() {
                continue;
            }
            for value in &possible {
                assert!(own.contains(value.get_name()), "{name} --{long}: {own}");
            }
            let id = arg.get_id().as_str();
            match arg.get_default_values() {
                [] if WITHOUT_DEFAULT.contains(&id) || SELECTIONS.contains(&id) => {}
                // The default depends on something, so that it is in the text.
                [] if id == "revisions" && !own.contains("[default: ") => {
                    assert!(own.contains("only"), "{name} --{long}: {own}");
                }
                [] => assert!(own.contains("[default: "), "{name} --{long} ({id}): {own}"),
                [value] => {
                    let default = format!("[default: {}]", value.to_string_lossy());
                    assert!(own.contains(&default), "{name} --{long}: {own}");
                }
                several => panic!("{name} --{long}: {several:?}"),
            }
            shown += 1;
        }
    }
    assert!(shown > 100, "{shown}");
}

#[test]
fn the_color_option_is_on_every_command() {
    let mut root = Args::command();
    root.build();
    for (name, command) in commands(&root, "") {
        assert!(command.get_arguments().any(|arg| arg.get_long() == Some("color")), "{name}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let mut root = Args::command();
    root.build();
    for (name, command) in commands(&root, "") {
        let page = printed(&format!("man {name}"));
        for arg in command.get_arguments().filter_map(clap::Arg::get_long) {
            let escaped = arg.replace('-', "\\-");
            assert!(page.contains(&format!("\\-\\-{escaped}")), "{name} --{arg}");
        }
    }
    insta::assert_snapshot!(refused("man chek"), @"error: there is no command `chek`; did you mean `check`?");
    insta::assert_snapshot!(refused("man cases rn"), @"error: there is no command `rn`; did you mean `run`?");
    insta::assert_snapshot!(refused("completions tcsh"), @"
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("list --color red"), @"
    error: invalid value 'red' for '--color <WHEN>'
      [possible values: auto, always, never]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --shard 4/3"), @"
    error: invalid value '4/3' for '--shard <I/N>': expected a shard from 1 to 3 before the slash, got 4

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --shard 1"), @"
    error: invalid value '1' for '--shard <I/N>': expected I/N, two whole numbers such as `1/3`, the first of three shards

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --retries 11"), @"
    error: invalid value '11' for '--retries <N>': expected a whole number from 0 to 10

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --no-timestamps"), @"
    error: the following required arguments were not provided:
      --output-dir <DIR>

    Usage: mcp-test check --output-dir <DIR> --reference --no-timestamps [-- <COMMAND>...]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fail-fast --write-baseline a.yml"), @"
    error: the argument '--fail-fast' cannot be used with '--write-baseline <FILE>'

    Usage: mcp-test check --reference --fail-fast [-- <COMMAND>...]

    For more information, try '--help'.
    ");
}

#[test]
fn help_names_the_commands() {
    insta::assert_snapshot!(Args::command().term_width(100).render_help(), @"
    Tests implementations of the Model Context Protocol

    Usage: mcp-test [OPTIONS] <COMMAND>

    Commands:
      server         Test a server by the rules of the official conformance suite
      check          Test any server by the specification, skipping what it does not support
      explore        Call the tools of a server with arguments that are generated from their schemas,
                     and reduce what fails
      client         Test a client by the rules of the official conformance suite, against scripted
                     servers
      authorization  Test an authorization server by the rules of the official conformance suite
      validate       Validate a message, another value, or a recorded conversation against the shapes of
                     a revision
      cases          MCP Cases: contracts in YAML that test, mock and document servers
      list           List the scenarios
      explain        Explain a scenario, a check or a requirement
      requirements   Search the requirements of the specification
      reference      Run a conforming reference peer, optionally with faults
      config         Show the options of a command, and where each value comes from
      completions    Print a script that completes commands and options in a shell
      man            Print the manual page, in the format of `man`
      help           Print this message or the help of the given subcommand(s)

    Options:
          --color <WHEN>   Use colours; `auto` does at a terminal unless NO_COLOR is set, and wherever
                           CLICOLOR_FORCE is [default: auto] [possible values: auto, always, never]
          --config <FILE>  Read options from this TOML file [default: mcp-test.toml in the current
                           directory, if it exists]
          --no-config      Do not read mcp-test.toml
      -h, --help           Print help
      -V, --version        Print version

    Exit codes:
      0  nothing unexpected failed
      1  a verdict against the peer, or a stale baseline
      2  wrong usage
      3  the run could not take place: nothing to test, or an error in mcp-test
    ");
}

#[test]
fn unknown_arguments_are_refused_with_a_suggestion() {
    insta::assert_snapshot!(refused("serve"), @"
    error: unrecognized subcommand 'serve'

      tip: a similar subcommand exists: 'server'

    Usage: mcp-test [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --scenaro ping"), @r"
    error: unexpected argument '--scenaro' found

      tip: a similar argument exists: '--scenario'
      tip: to pass '--scenaro' as a value, use '-- --scenaro'

    Usage: mcp-test server --reference --scenario <ID> [-- <COMMAND>...]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --url http://localhost:1"), @r"
    error: the argument '--reference' cannot be used with '--url <URL>'

    Usage: mcp-test server --reference [-- <COMMAND>...]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --env A=b --url http://localhost:1"), @r"
    error: the following required arguments were not provided:
      <COMMAND>...

    Usage: mcp-test check --env <NAME=VALUE> --url <URL> -- <COMMAND>...

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("reference server"), @r"
    error: the following required arguments were not provided:
      <--listen <ADDRESS>|--stdio>

    Usage: mcp-test reference server <--listen <ADDRESS>|--stdio>

    For more information, try '--help'.
    ");
}

#[test]
fn invalid_values_are_refused_with_valid_ones() {
    insta::assert_snapshot!(refused("server --reference --spec-version 2025-06-19"), @r"
    error: invalid value '2025-06-19' for '--spec-version <REVISION>': `2025-06-19` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --timeout abc"), @r"
    error: invalid value 'abc' for '--timeout <TIME>': expected milliseconds (`30000`) or a number with a unit (`500ms`, `5s`, `2m`), more than 0

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --jobs 0"), @r"
    error: invalid value '0' for '--jobs <N>': expected a whole number, at least 1

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --suite actve"), @r"
    error: invalid value 'actve' for '--suite <NAME>': `actve` is not a suite; expected one of active, all, draft, pending for servers, one of all, core, extensions, backcompat, auth, metadata, draft, sep-835 for clients

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --profile lenient"), @r"
    error: invalid value 'lenient' for '--profile <NAME>': `lenient` is not a profile; expected official, adaptive or strict

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --transport tcp"), @r"
    error: invalid value 'tcp' for '--transport <NAME>': unknown transport `tcp`; expected duplex, stdio, http, router or sse

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --format xml"), @r"
    error: invalid value 'xml' for '--format <FORMAT>'
      [possible values: human, json]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("reference server --stdio --fault remve:tools/list:/tools"), @r"
    error: invalid value 'remve:tools/list:/tools' for '--fault <FAULT>': unknown fault `remve`; did you mean `remove`?

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("reference server --listen example.org:80"), @r"
    error: invalid value 'example.org:80' for '--listen <ADDRESS>': expected an IP address and a port (`127.0.0.1:3000`), or a port

    For more information, try '--help'.
    ");
}

#[test]
fn patterns_select_scenarios() {
    insta::assert_snapshot!(printed("list --scenario tools-call-* --scenario *-list --spec-version 2024-11-05"), @"
    Server scenarios (test against a server):
      - tools-list [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-simple-text [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-image [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-embedded-resource [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-mixed-content [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-with-logging [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-error [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-with-progress [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-sampling [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - resources-list [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - prompts-list [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-unknown [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-malformed [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-arguments [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-allowed [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
      - tools-call-results [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]
    ");
    insta::assert_snapshot!(refused("check --reference --scenario tols-*"), @"error: --scenario: nothing matches `tols-*`; did you mean `tools-*`?");
    insta::assert_snapshot!(refused("server --reference --scenario entirely-different-*"), @"error: --scenario: nothing matches `entirely-different-*`");
    insta::assert_snapshot!(refused("server --reference --scenario tools_*"), @"error: --scenario: scenario `tools_*` tests a client, not a server");
    insta::assert_snapshot!(refused("client --command true --scenario initialise*"), @"error: --scenario: nothing matches `initialise*`; did you mean `initialize`?");
    insta::assert_snapshot!(refused("list --scenario tools-lst"), @"error: `tools-lst` is not the id of a scenario, a check or a requirement; did you mean `tools-list`?");
    insta::assert_snapshot!(refused("list --scenario tools-lst*"), @"error: --scenario: nothing matches `tools-lst*`; did you mean `tools-list`?");
}

#[test]
fn invalid_selections_are_refused_with_valid_ones() {
    insta::assert_snapshot!(refused("server"), @r"
    error: no target; use one of
      mcp-test server --url http://localhost:3000/mcp                   a running server
      mcp-test server -- npx my-server                                  a program that speaks MCP over stdin and stdout
      mcp-test server --url http://localhost:3000/mcp -- npx my-server  a program that listens at the URL
      mcp-test server --reference                                       the built-in reference server
    ");
    insta::assert_snapshot!(refused("server --reference --scenario tool-list"), @"error: --scenario: there is no scenario `tool-list`; did you mean `tools-list`?");
    insta::assert_snapshot!(refused("client --command true --scenario auth/client-credentials"), @"error: --scenario: scenario `auth/client-credentials` is now called `auth/client-credentials-basic` and `auth/client-credentials-jwt`");
    insta::assert_snapshot!(refused("server --reference --transport stdio"), @"error: --transport: the target has no transport stdio; it has duplex, router");
    insta::assert_snapshot!(refused("server --reference --expected-failures /no/such/file.yaml"), @"error: --expected-failures: cannot read the baseline /no/such/file.yaml: No such file or directory (os error 2)");
    insta::assert_snapshot!(refused("explain tools-lst"), @"error: `tools-lst` is not the id of a scenario, a check or a requirement; did you mean `tools-list`?");
    insta::assert_snapshot!(refused("requirements xyzzy"), @"error: no requirement has all of these words: xyzzy");
}

#[test]
fn a_set_of_scenarios_excludes_other_selections() {
    insta::assert_snapshot!(refused("server --reference --requirements 2025-06-18"), @"
    error: invalid value '2025-06-18' for '--requirements <REVISION>': expected a revision with a set of scenarios: 2025-11-25 or 2026-07-28

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("server --reference --requirements 2025-11-25 --suite all"), @"
    error: the argument '--requirements <REVISION>' cannot be used with '--suite <NAME>'

    Usage: mcp-test server --reference --requirements <REVISION> [-- <COMMAND>...]

    For more information, try '--help'.
    ");
}

#[test]
fn a_set_of_scenarios_is_listed_as_officially() {
    insta::assert_snapshot!("requirements", printed("list --requirements 2025-11-25"));
    let both = printed("list --requirements 2025-11-25,2026-07-28 --format json");
    let both = Value::parse(both.as_bytes()).expect("JSON").value;
    let revision = |index: usize| both.at(&format!("/requirements/{index}/revision")).cloned();
    assert_eq!([revision(0), revision(1)], [Some("2025-11-25".into()), Some("2026-07-28".into())]);
}

#[test]
fn errors_name_the_responsible_option() {
    insta::assert_snapshot!(refused("server --reference --suite pending --spec-version 2025-03-26"), @"error: --suite pending: no scenario of this suite exists at these revisions and over these transports");
    insta::assert_snapshot!(refused("server --reference --write-baseline /dev/null/x"), @"error: --write-baseline /dev/null/x: Not a directory (os error 20)");
    insta::assert_snapshot!(refused("server --reference -o /dev/null/x"), @"error: --output-dir /dev/null/x: Not a directory (os error 20)");
    insta::assert_snapshot!(refused("check --url http://user:hunter99@/mcp?token=hunter99"), @"error: --url http://[secret]@/mcp?token=[secret]: empty host; expected a URL such as http://localhost:3000/mcp");
    insta::assert_snapshot!(refused("reference server --stdio --fault status:tools/list:500"), @"error: --fault status:tools/list:500: not supported over stdio; serve with --listen ADDRESS");
    insta::assert_snapshot!(refused("reference client http://localhost:1/ --fault status:ping:500"), @"error: --fault status:ping:500: not supported by the reference client");
    insta::assert_snapshot!(refused("reference client http://localhost:1/ --fault blank-line:ping"), @"error: --fault blank-line:ping: not supported over http; give it a command instead of a URL");
    insta::assert_snapshot!(refused("reference server --listen 0 --fault exit:tools/list"), @"error: --fault exit:tools/list: not supported over http; serve with --stdio");
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let args = ["mcp-test", "reference", "server", "--listen", &address];
    let error = dispatch(Args::try_parse_from(args).expect("arguments")).expect_err("it is taken");
    assert!(error.to_string().starts_with(&format!("cannot listen at {address}: ")), "{error}");
    assert_eq!(error.exit().number(), 3);
}

#[test]
fn exit_code_and_report_agree_with_a_written_baseline() {
    let out = tempfile::tempdir().expect("a directory");
    let (known, path) = (out.path().join("known.yml"), out.path().to_str().expect("UTF-8"));
    let known = known.to_str().expect("UTF-8");
    let mut args = vec!["mcp-test", "server", "--scenario", "ping", "-o", path];
    args.extend(["--write-baseline", known, "--", "sh", "-c", REFUSING_PING]);
    let code = dispatch(Args::try_parse_from(args).expect("arguments"))
        .unwrap_or_else(|error| panic!("{error}"));
    let summary = std::fs::read(out.path().join("summary.json")).expect("a summary");
    let summary = Value::parse(&summary).expect("JSON").value;
    let exit = summary.at("/exitCode").and_then(Value::as_i64);
    assert_eq!((code, exit), (0, Some(0)), "{summary}");
    let text = std::fs::read_to_string(known).expect("a baseline");
    assert!(text.contains("ping:ping"), "{text}");
}

/// A server that completes the handshake and answers everything else with an error.
const REFUSING_PING: &str = r#"
    while read -r line; do
        id=${line#*'"id":'}; id=${id%%,*}
        case $line in
            *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"deaf","version":"1"}}}';;
            *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}';;
        esac
    done"#;

#[test]
fn scenarios_are_listed_in_the_official_format() {
    let heading = "Server scenarios (test against a server):\n";
    let ping = "  - ping [2024-11-05,2025-03-26,2025-06-18,2025-11-25]\n";
    let tools = "  - tools-list [2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28]\n";
    let all = printed("list");
    assert!(all.starts_with(heading) && all.contains(ping) && all.contains(tools), "{all}");
    let listed = all.lines().filter(|line| line.starts_with("  - ")).count();
    assert_eq!(listed, mcp_test_suite::scenarios::all().count(), "{all}");
    let newest = printed("list --server --spec-version draft");
    assert!(newest.starts_with(heading) && newest.contains(tools), "{newest}");
    assert!(!newest.contains("  - ping ["), "{newest}");
    // An extension belongs to no revision.
    assert!(all.contains("  - tasks-lifecycle [extension]\n"), "{all}");
    assert!(!newest.contains("tasks-lifecycle"), "{newest}");
    let clients = printed("list --client");
    let first = "Client scenarios (test against a client):\n  - initialize [2025-03-26,";
    assert!(clients.starts_with(first), "{clients}");
}

#[test]
fn scenarios_are_listed_as_json() {
    let list = |options: &str| {
        let text = printed(&format!("list --format json {options}"));
        Value::parse(text.as_bytes()).expect("JSON").value
    };
    let all = list("");
    let scenarios = all.at("/scenarios").and_then(Value::as_array).expect("a list");
    assert_eq!(scenarios.len(), mcp_test_suite::scenarios::all().count());
    let is = |value: &Value, member, text| value.get(member).and_then(Value::as_str) == Some(text);
    for (tested_side, id) in
        [("server", "ping"), ("server", "dns-rebinding-protection"), ("client", "tools_call")]
    {
        let found = scenarios.iter().find(|it| is(it, "id", id) && is(it, "leg", tested_side));
        insta::assert_snapshot!(id, found.expect("it is listed").pretty());
    }
    let clients = list("--client --spec-version 2026-07-28");
    let clients = clients.at("/scenarios").and_then(Value::as_array).expect("a list");
    assert!(!clients.is_empty() && clients.iter().all(|it| is(it, "leg", "client")));
    let faults = list("--faults");
    let listed = faults.at("/faults").and_then(Value::as_array).map(<[_]>::len);
    assert_eq!(listed, Some(FAULT_KINDS.len()));
    let fixtures = list("--fixtures");
    let fixtures = fixtures.at("/fixtures").and_then(Value::as_array).expect("a list");
    let found = fixtures.iter().find(|it| is(it, "name", "test_missing_capability"));
    insta::assert_snapshot!(found.expect("it is listed"), @r#"{"kind":"tool","name":"test_missing_capability","scenarios":["server-stateless"]}"#);
}

#[test]
fn fixtures_are_listed_and_checked() {
    insta::assert_snapshot!("fixtures", printed("list --fixtures"));
    insta::assert_snapshot!(refused("server --reference --fixture test_simple_txt=my_tool"), @"
    error: invalid value 'test_simple_txt=my_tool' for '--fixture <FIXTURE=NAME[=JSON]>': no fixture is named `test_simple_txt`; did you mean `test_simple_text`?

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fixture test_simple_text"), @"
    error: invalid value 'test_simple_text' for '--fixture <FIXTURE=NAME[=JSON]>': expected FIXTURE=NAME, or FIXTURE=NAME=JSON with its arguments

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fixture test_simple_text="), @"
    error: invalid value 'test_simple_text=' for '--fixture <FIXTURE=NAME[=JSON]>': expected the name of what takes the place of the fixture `test_simple_text`

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fixture test_simple_text=my_tool={a:1}"), @"
    error: invalid value 'test_simple_text=my_tool={a:1}' for '--fixture <FIXTURE=NAME[=JSON]>': the arguments of `my_tool` are not valid JSON: line 1, column 2: expected a member name in double quotes, found `a`

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fixture test://static-text=db://a={}"), @"
    error: invalid value 'test://static-text=db://a={}' for '--fixture <FIXTURE=NAME[=JSON]>': the fixture `test://static-text` is a resource, which takes no arguments

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("check --reference --fixture test_sampling=a --fixture test_sampling=b"), @"error: --fixture: the fixture `test_sampling` is replaced twice");
}

#[test]
fn faults_are_listed_with_their_form() {
    let text = printed("list --faults");
    for word in FAULT_KINDS {
        let star = if word.is_of(Side::Client) { "* " } else { "  " };
        let start = format!("{star}{}", word.form);
        let lines = text.lines().filter(|line| line.starts_with(&start));
        let lines: Vec<_> = lines.filter(|line| line.ends_with(word.summary)).collect();
        assert_eq!(lines.len(), 1, "{} in\n{text}", word.form);
    }
}

#[test]
fn a_scenario_is_explained() {
    insta::assert_snapshot!(printed("explain ping"), @r#"
    server scenario ping: The server answers a ping

    The server answers `ping` with an empty result.

    Clients ping to find out whether a connection is alive; they take an error, or silence, for a dead one. A reply after
    more than five seconds is a WARNING, because the specification says "promptly" without a number. The official suite
    does not measure it.

    Revisions     2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25
    Official      2025-06-18, 2025-11-25 (suite active)
    Source        mcp-test/suite/src/scenarios/utilities/ping.rs
    Run it        mcp-test server --scenario ping …

    Checks

      ping (official; FAILURE or WARNING)
        The result of `ping` is an empty object
        FAILURE or WARNING because a late reply only warns, since the specification names no time
        ping.responds-promptly (MUST) A ping is answered without delay.
          https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements
        ping.result-empty (MUST) The result of ping is an empty object.
          https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements
        MCP-Ping: https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/ping

      wire-schema-valid (official here, in every scenario for servers)
      wire-well-formed (of mcp-test, in every scenario for servers)
    "#);
}

#[test]
fn a_requirement_names_every_check_that_may_cite_it() {
    let named = |id: &str, check: &str| {
        let text = printed(&format!("explain {id}"));
        assert!(
            text.lines().any(|line| line.starts_with("Check ") && line.contains(check)),
            "{text}"
        );
    };
    for side in [Side::Server, Side::Client] {
        for (check, _) in mcp_test_core::run::COMMON {
            for requirement in mcp_test_core::run::requirements_of_common(check, side) {
                named(requirement.id, check);
            }
        }
        for requirement in mcp_test_core::run::requirements_of_interruptions(side) {
            named(requirement.id, "any check");
        }
    }
    named("jsonrpc.id-type-preserved", "wire-well-formed");
    named("schema.tool", "wire-schema-valid");
}

#[test]
fn a_requirement_of_mcp_test_is_shown_as_ours() {
    insta::assert_snapshot!(printed("explain mcp-test.client-takes-part"), @"
    requirement mcp-test.client-takes-part (MUST)

    A client under test connects to the server of the scenario, and sends a message.

    Required by   mcp-test, not by the specification: Nothing that a scenario checks means anything for a client that sent nothing.
    Binds         client
    Revisions     2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    Shows         wire
    Find out      Start the client with the URL of the server; look for a JSON-RPC message.
    Violation     The client exits without having connected.
    Check         client-connected (every scenario for clients)
    ");
    let listed = printed("requirements mcp-test.client-takes-part");
    assert!(listed.contains("(of mcp-test)"), "{listed}");
    let json = printed("requirements mcp-test.client-takes-part --format json");
    assert!(json.contains("\"reason\"") && !json.contains("\"page\""), "{json}");
}

#[test]
fn the_proofs_of_a_check_are_shown() {
    let text = printed("explain tools-call-mixed-content --proofs");
    let start = text.find("Checks\n").expect("the checks");
    insta::assert_snapshot!(&text[start..], @r#"
    Checks

      tools-call-mixed-content (official; FAILURE)
        The result of the call contains a text, an image and a resource
        schema.call-tool-result (MUST) `tools/call` result matches type CallToolResult of the negotiated revision. `content` is always present.
          https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult
        MCP-Tools-Call: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools
        Shown to be reported:
          FAILURE by --fault 'error:tools/call:-32602'
          FAILURE by --fault 'remove:tools/call:/content/0'
          FAILURE by --fault 'remove:tools/call:/content/1'
          FAILURE by --fault 'remove:tools/call:/content/2'

      tools-call-mixed-content-exact (of mcp-test; FAILURE)
        The call succeeds, and its items are those of the fixture, in their order
        schema.call-tool-result (MUST) `tools/call` result matches type CallToolResult of the negotiated revision. `content` is always present.
          https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult
        Shown to be reported:
          FAILURE by --fault 'set:tools/call:/content/1/data:"AAAA"'
          FAILURE by --fault 'set:tools/call:/content/2/resource/uri:"test://other"'
          FAILURE by --fault 'set:tools/call:/isError:true'

      wire-schema-valid (official here, in every scenario for servers)
      wire-well-formed (of mcp-test, in every scenario for servers)
    "#);
}

#[test]
fn a_check_is_explained() {
    insta::assert_snapshot!(printed("explain tools-name-format"), @r"
    check of the server scenario tools-list
      tools-name-format (official; WARNING, at 2025-11-25, 2026-07-28, not in every run)
        Tool names consist of 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`
        tools.name.length (SHOULD) Tool names have 1 to 128 characters.
          https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
        tools.name.charset (SHOULD) Tool names use ASCII letters, digits, underscore, hyphen and dot only.
          https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
        tools.name.no-special-characters (SHOULD NOT) Tool names hold no blanks, commas or other special characters.
          https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
        MCP-Tool-Names: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
        MCP-Tool-Names-Draft: https://modelcontextprotocol.io/specification/draft/server/tools#tool-names
        SEP-986-History: https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986
        SEP-986-Spec-Integration: https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1603
    ");
    assert!(printed("explain wire-well-formed").contains("every scenario"));
    insta::assert_snapshot!(printed("explain scenario-timeout"), @r"
    check scenario-timeout, which no scenario declares

    The scenario ends within the time of --timeout. The check is made only when it fails, in profile official
    instead of the checks of the scenario.
    ");
    assert!(
        printed("explain wire-schema-valid")
            .contains("Without a message of the peer it is skipped")
    );
}

#[test]
fn a_requirement_is_explained() {
    insta::assert_snapshot!(printed("explain tools.name.unique"), @r"
    requirement tools.name.unique (SHOULD)

    No two tools of one server share a name, across all pages.

    Binds         server
    Revisions     2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    Shows         wire
    Find out      Collect all pages of tools/list; look for duplicate names.
    Violation     Same name occurs twice in the combined list.
    Text          https://modelcontextprotocol.io/specification/2024-11-05/server/tools#tool-names
    Text          https://modelcontextprotocol.io/specification/2025-03-26/server/tools#tool-names
    Text          https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-names
    Text          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
    Text          https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
    Check         tools-list-definitions (scenario tools-list)
    ");
}

#[test]
fn requirements_are_found_by_words() {
    insta::assert_snapshot!(printed("requirements tools.name"), @r"
    tools.name.unique                         SHOULD      server  2024-11-05..
      No two tools of one server share a name, across all pages.
    tools.name.length                         SHOULD      server  2025-11-25..
      Tool names have 1 to 128 characters.
    tools.name.case-sensitive                 SHOULD      both    2025-11-25..
      Tool names differing only in case are distinct.
    tools.name.charset                        SHOULD      server  2025-11-25..
      Tool names use ASCII letters, digits, underscore, hyphen and dot only.
    tools.name.no-special-characters          SHOULD NOT  server  2025-11-25..
      Tool names hold no blanks, commas or other special characters.
    tools.name.aggregator-disambiguates       SHOULD      client  2026-07-28
      Clients that merge tools of several servers resolve equal names, e.g. by prefixing.
    tools.name.server-name-not-disambiguator  SHOULD NOT  client  2026-07-28
      The self-reported server name does not distinguish equal tool names.

    7 requirements; `mcp-test explain ID` shows the details
    ");
    let json = printed("requirements --format json tools.name.unique");
    let document = Value::parse(json.as_bytes()).expect("JSON").value;
    assert_eq!(
        document.at("/requirements/0/id").and_then(Value::as_str),
        Some("tools.name.unique")
    );
    let none = "{\n  \"schemaVersion\": 1,\n  \"requirements\": []\n}\n";
    assert_eq!(printed("requirements --format json xyzzy"), none);
}

/// The reference server passes, with every report.
#[test]
fn the_reference_server_passes() {
    let out = tempfile::tempdir().expect("a directory");
    let path = out.path().to_str().expect("UTF-8");
    let args =
        ["mcp-test", "check", "--reference", "--scenario", "ping", "--format", "json", "-o", path];
    let code = dispatch(Args::try_parse_from(args).expect("arguments"))
        .unwrap_or_else(|error| panic!("{error}"));
    let summary = std::fs::read(out.path().join("summary.json")).expect("a summary");
    let summary = Value::parse(&summary).expect("JSON").value;
    assert_eq!((code, summary.at("/exitCode").and_then(Value::as_i64)), (0, Some(0)), "{summary}");
    assert!(summary.at("/cells/0/directory").is_some(), "{summary}");
}
