//! What a file may set that was found, not named: it comes with the folder, and its author may be a stranger.
//!
//! Such a file starts no program, contacts no host, calls no further tools, and names no files outside of its folder.

use std::path::{Component, Path};

use super::file::{Entry, Setting};

/// What a file that was found may set an option to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// Anything.
    Anything,
    /// A file or directory in the folder.
    Inside,
    /// What follows `=` is a file in the folder.
    InsideAfterEquals,
    /// Only what calls no further tools.
    FewerCalls,
    /// Nothing, because the option does this.
    Nothing(&'static str),
}

const STARTS: Limit = Limit::Nothing("determines which program is started");
const CONTACTS: Limit = Limit::Nothing("determines which host is contacted, or what is sent to it");
const LISTENS: Limit = Limit::Nothing("determines who can connect");
const CALLS: Limit = Limit::Nothing("determines which tools are called");

/// Options that change what the authorization server of mcp-test issues, or have it fetch less.
const OF_REFERENCE_AUTHORIZATION_SERVER: [&str; 4] =
    ["token-lifetime", "refresh-token-lifetime", "dpop-nonces", "no-client-documents"];

/// The limit of an option; `None` if nobody has decided about it.
fn limit(option: &str) -> Option<Limit> {
    Some(match option {
        "command" | "given-command" | "allow-commands" | "cwd" | "env" => STARTS,
        "url"
        | "header"
        | "token"
        | "input"
        | "read"
        | "get-prompt"
        | "arguments"
        | "file"
        | "client-id"
        | "client-secret"
        | "resource"
        | "protected"
        | "sign-in"
        | "open-browser"
        | "remote-client-documents" => CONTACTS,
        "listen" | "allow-host" | "port" | "callback-port" | "redirect-uri" | "issuer"
        | "downstream" => LISTENS,
        "fixture" => CALLS,
        "call" => Limit::FewerCalls,
        "expected-failures" | "write-baseline" | "output-dir" | "output" | "record"
        | "save-cases" | "save-tests" => Limit::Inside,
        "report" | "schema" => Limit::InsideAfterEquals,
        "reference" | "scenario" | "scope" | "page" | "suite" | "requirements" | "force"
        | "coverage" | "profile" | "jobs" | "fail-fast" | "retries" | "shard" | "spec-version"
        | "timeout" | "no-timestamps" | "format" | "verbose" | "skip-call" | "transport"
        | "max-calls" | "max-time" | "seed" | "strict" | "color" | "as" | "server" | "client"
        | "authorization" | "faults" | "fixtures" | "proofs" | "fault" | "stdio" | "case"
        | "tag" | "skip-tag" | "auth" | "issuer-scope" | "title" | "allow" | "list" | "check"
        | "json" | "known" => Limit::Anything,
        _ if OF_REFERENCE_AUTHORIZATION_SERVER.contains(&option) => Limit::Anything,
        _ => return None,
    })
}

/// Why a file that was found may not set an option to this.
pub(super) fn refusal(entry: &Entry, folder: &Path) -> Option<String> {
    let Setting::Values(values) = &entry.setting else {
        return match (limit(&entry.option), &entry.setting) {
            (Some(Limit::Nothing(why)), Setting::Flag(true)) => Some(refused(&entry.option, why)),
            (None, _) => Some(refused(&entry.option, "has effects that are not known")),
            _ => None,
        };
    };
    let option = &entry.option;
    let outside = |path: &str| {
        (!is_inside(Path::new(path), folder)).then(|| {
            refused(option, &format!("names `{path}`, which is outside of the folder of the file"))
        })
    };
    match limit(option) {
        Some(Limit::Anything) => None,
        Some(Limit::Inside) => values.iter().find_map(|path| outside(path)),
        Some(Limit::InsideAfterEquals) => values.iter().find_map(|value| {
            let (_, place) = value.split_once('=')?;
            if place.contains("://") {
                return Some(refused(option, "determines which host is contacted"));
            }
            outside(place)
        }),
        Some(Limit::FewerCalls) => {
            let is_wider =
                values.iter().any(|value| !matches!(value.as_str(), "none" | "read-only"));
            is_wider.then(|| {
                refused(option, "lets tools be called that are not annotated as read-only")
            })
        }
        Some(Limit::Nothing(why)) => Some(refused(option, why)),
        None => Some(refused(option, "has effects that are not known")),
    }
}

fn refused(option: &str, why: &str) -> String {
    format!(
        "`{option}` {why}; only a file that is named may do that: use `--config {}`, or give the option on the command line",
        super::FILE_NAME
    )
}

/// Whether a path leads to something in the folder, also through links.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let descends =
        path.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
    if !descends {
        return false;
    }
    let Ok(folder) = folder.canonicalize() else { return false };
    // What does not exist yet is created in what exists.
    let existing = folder.join(path);
    let mut existing = existing.as_path();
    while existing.symlink_metadata().is_err() {
        let Some(parent) = existing.parent() else { return false };
        existing = parent;
    }
    existing.canonicalize().is_ok_and(|path| path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;
    use crate::config::file::settable;

    /// A new option must not be open to a stranger's file because nobody thought of it.
    #[test]
    fn the_limit_of_every_option_is_decided() {
        fn check(command: &clap::Command) {
            for (name, _) in settable(command) {
                assert!(limit(name).is_some(), "decide what a file may set `{name}` to");
            }
            command.get_subcommands().for_each(check);
        }
        let mut command = Args::command();
        command.build();
        check(&command);
    }

    #[test]
    fn a_path_stays_in_the_folder() {
        let folder = tempfile::tempdir().expect("a directory");
        let inside = |path: &str| is_inside(Path::new(path), folder.path());
        assert!(["a.yml", "./a/b.yml", "results"].into_iter().all(inside));
        assert!(!["/etc/passwd", "../a.yml", "a/../../b.yml"].into_iter().any(inside));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/tmp", folder.path().join("link")).expect("a link");
            std::os::unix::fs::symlink("/no/such/file", folder.path().join("broken"))
                .expect("a link");
            assert!(!inside("link/a.yml") && !inside("broken"));
        }
    }
}
