//! Where other people's programs are installed.

use std::env;
use std::path::{Path, PathBuf};

/// The folder that `.ci/peers` has filled.
pub(crate) struct Peers(PathBuf);

impl Peers {
    /// The peers, or nothing, with a word on how to get them.
    pub(crate) fn installed() -> Option<Self> {
        let Some(folder) = env::var_os("MCP_TEST_PEERS") else {
            skipped("set MCP_TEST_PEERS to the folder that `.ci/peers DIR` has filled");
            return None;
        };
        // Cargo runs tests in the folder of their package; people give paths from the workspace's.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        assert!(
            folder.join("installed").is_file(),
            "`.ci/peers {}` has not been run to its end",
            folder.display()
        );
        Some(Self(folder))
    }

    /// The words that start the everything server of the MCP project, which is written in TypeScript.
    pub(crate) fn everything(&self, mode: &str) -> Vec<String> {
        self.node("@modelcontextprotocol/server-everything/dist/index.js", mode)
    }

    /// The words that start a program of ours on the official Python SDK.
    pub(crate) fn python(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let python = self.0.join("venv/bin/python").to_string_lossy().into_owned();
        let mut words = vec![python, own(script)];
        words.extend(arguments.iter().map(|&argument| argument.to_owned()));
        words
    }

    /// The words that start a program of ours on the official TypeScript SDK.
    pub(crate) fn typescript(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let [node, peers] = [self.0.join("node"), self.0.clone()];
        let folder = std::fs::canonicalize(peers).expect("a folder that exists");
        let words = [node.to_string_lossy(), own(script).into(), folder.to_string_lossy()];
        let words = words.into_iter().map(std::borrow::Cow::into_owned);
        words.chain(arguments.iter().map(|&argument| argument.to_owned())).collect()
    }

    /// The words that start the official conformance suite.
    pub(crate) fn conformance(&self, command: &str) -> Vec<String> {
        self.node("@modelcontextprotocol/conformance/dist/index.js", command)
    }

    /// The command line of our client on the official TypeScript SDK, which wants a URL after it.
    pub(crate) fn client(&self) -> String {
        self.client_of("client.mjs")
    }

    /// The command line of another client of ours on that SDK, which wants its own arguments, and then the URL, after it.
    pub(crate) fn client_of(&self, script: &str) -> String {
        let packages = self.0.join("npm/node_modules");
        let node = self.0.join("node");
        format!("{} {} {}", node.display(), own(script), packages.display())
    }

    fn node(&self, script: &str, argument: &str) -> Vec<String> {
        let script = self.0.join("npm/node_modules").join(script);
        assert!(script.is_file(), "{} does not exist", script.display());
        let node = self.0.join("node").to_string_lossy().into_owned();
        vec![node, script.to_string_lossy().into_owned(), argument.to_owned()]
    }
}

/// Says why a test is skipped; in CI, where everything has to be there, that is a failure.
pub(crate) fn skipped(why: &str) {
    let in_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    assert!(!in_ci, "nothing may be skipped in CI: {why}");
    eprintln!("skipped: {why}");
}

/// The path of a peer that is part of this workspace.
pub(crate) fn own(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name);
    assert!(path.is_file(), "{} does not exist", path.display());
    path.to_string_lossy().into_owned()
}
