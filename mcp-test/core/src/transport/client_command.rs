//! The command line of a client under test, with placeholders for the address of the server.

use super::TransportKind;
use crate::expect::words::closest;
use crate::process::{Command, shell_quoted};

/// The placeholder for the URL over HTTP.
const URL: &str = "url";
/// The placeholders over stdio: the command of the server as one text, in two parts, and a file that names it.
const SERVER: &str = "server";
const SERVER_COMMAND: &str = "server.command";
const SERVER_ARGS: &str = "server.args";
const CONFIG: &str = "config";

/// Every placeholder, with its transport.
const ALL: [(&str, TransportKind); 5] = [
    (URL, TransportKind::Http),
    (SERVER, TransportKind::Stdio),
    (SERVER_COMMAND, TransportKind::Stdio),
    (SERVER_ARGS, TransportKind::Stdio),
    (CONFIG, TransportKind::Stdio),
];

/// What is wrong with a placeholder in the command line of a client.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceholderError {
    /// It is similar to a known one.
    #[error("unknown placeholder `{{{name}}}`; did you mean `{{{similar}}}`?")]
    Unknown {
        /// The name without its braces.
        name: String,
        /// The known one.
        similar: &'static str,
    },
    /// It stands for what another transport has.
    #[error("the placeholder `{{{name}}}` has no meaning over {transport}; expected {}", expected(*.transport))]
    OtherTransport {
        /// The name without its braces.
        name: &'static str,
        /// The transport of the run.
        transport: TransportKind,
    },
}

fn expected(transport: TransportKind) -> String {
    let known = ALL.iter().filter(|(_, over)| *over == transport);
    known.map(|(name, _)| format!("`{{{name}}}`")).collect::<Vec<_>>().join(", ")
}

/// Checks the placeholders of a command line for a transport.
///
/// Braces that are similar to no placeholder are left to the shell.
pub(super) fn check(line: &str, transport: TransportKind) -> Result<(), PlaceholderError> {
    for name in placeholders(line).map(|(_, name)| name) {
        match ALL.iter().find(|(known, _)| *known == name) {
            Some((_, over)) if *over == transport => {}
            Some((name, _)) => return Err(PlaceholderError::OtherTransport { name, transport }),
            None => {
                let names = ALL.iter().map(|(known, _)| *known);
                if let Some(similar) = closest(name, names) {
                    return Err(PlaceholderError::Unknown { name: name.to_owned(), similar });
                }
            }
        }
    }
    Ok(())
}

/// The line for a server at a URL, which is appended unless it has a place.
pub(super) fn with_url(line: &str, url: &str) -> String {
    fill(line, &[(URL, url.to_owned())], url)
}

/// The line for a server that a command starts, which is appended unless it has a place; each value is quoted for a shell.
pub(super) fn with_server(line: &str, server: &Command, config: &str) -> String {
    let all = server.to_string();
    let values = [
        (SERVER, all.clone()),
        (SERVER_COMMAND, shell_quoted(&server.program)),
        (SERVER_ARGS, arguments(server)),
        (CONFIG, shell_quoted(config)),
    ];
    fill(line, &values, &all)
}

/// The arguments of a command, quoted for a shell.
pub(super) fn arguments(command: &Command) -> String {
    command.args.iter().map(|arg| shell_quoted(arg)).collect::<Vec<_>>().join(" ")
}

fn fill(line: &str, values: &[(&str, String)], appended: &str) -> String {
    let (mut filled, mut rest) = (String::with_capacity(line.len()), 0);
    for (at, name) in placeholders(line) {
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            filled.push_str(&line[rest..at]);
            filled.push_str(value);
            rest = at + name.len() + 2;
        }
    }
    filled.push_str(&line[rest..]);
    if rest > 0 {
        return filled;
    }
    // As the official suite does, which splits the line at spaces.
    let words = filled.split(' ').filter(|word| !word.is_empty()).chain([appended]);
    words.collect::<Vec<_>>().join(" ")
}

/// What has the form of a placeholder, with the place of its opening brace: lower-case words in braces, but no variable of a
/// shell.
fn placeholders(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices('{').filter_map(|(at, _)| {
        let (name, _) = line[at + 1..].split_once('}')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '.');
        (is_name && !line[..at].ends_with('$')).then_some((at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Command {
        Command::new("/a b/mcp-test").args(["stdio-relay", "/tmp/it's"])
    }

    #[test]
    fn each_placeholder_is_replaced_by_words_of_a_shell() {
        let line = "client --run {server} --program {server.command} -- {server.args} -c {config}";
        insta::assert_snapshot!(with_server(line, &server(), "/tmp/x y.json"), @r"client --run '/a b/mcp-test' stdio-relay '/tmp/it'\''s' --program '/a b/mcp-test' -- stdio-relay '/tmp/it'\''s' -c '/tmp/x y.json'");
        assert_eq!(with_url("client {url} -v", "http://h/mcp"), "client http://h/mcp -v");
    }

    #[test]
    fn without_a_placeholder_the_server_is_appended() {
        assert_eq!(with_url("client  -v", "http://h/mcp"), "client -v http://h/mcp");
        let with = with_server("client ${server} '{}'", &Command::new("s"), "c");
        assert_eq!(with, "client ${server} '{}' s");
    }

    #[test]
    fn a_misspelled_placeholder_is_an_error_and_a_brace_of_the_shell_is_not() {
        let over_stdio =
            |line| check(line, TransportKind::Stdio).map_err(|error| error.to_string());
        insta::assert_snapshot!(over_stdio("c {serve}").unwrap_err(), @"unknown placeholder `{serve}`; did you mean `{server}`?");
        insta::assert_snapshot!(over_stdio("c {server.arg}").unwrap_err(), @"unknown placeholder `{server.arg}`; did you mean `{server.args}`?");
        insta::assert_snapshot!(over_stdio("c {url}").unwrap_err(), @"the placeholder `{url}` has no meaning over stdio; expected `{server}`, `{server.command}`, `{server.args}`, `{config}`");
        for line in
            ["c {server} {config}", "awk '{print}'", "c ${serve}", "f() { c; }; f", "c {a,b}"]
        {
            assert_eq!(over_stdio(line), Ok(()), "{line}");
        }
        assert!(check("c {server}", TransportKind::Http).is_err());
    }
}
