//! The third-party programs that `.ci/peers` installs, and the command lines that start them.

use std::env;
use std::path::{Path, PathBuf};

/// The folder into which `.ci/peers` installed the programs.
pub(crate) struct Peers(PathBuf);

impl Peers {
    /// The installed programs. Tests that use them are ignored unless asked for.
    pub(crate) fn installed() -> Self {
        let folder = env::var_os("MCP_TEST_PEERS")
            .expect("MCP_TEST_PEERS names the folder DIR of `.ci/peers DIR`");
        // Cargo runs tests in the folder of their package, but paths are given relative to the workspace.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        assert!(
            folder.join("installed").is_file(),
            "`.ci/peers {}` has not completed",
            folder.display()
        );
        Self(folder)
    }

    /// The absolute path of what has this path in the folder.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        let path = self.0.join(relative);
        assert!(path.exists(), "{} does not exist", path.display());
        // Without `..`, and with its links: the Python of a virtual environment is a link, and finds its packages beside itself.
        std::path::absolute(path).expect("a path that is not empty")
    }

    /// The command that starts the everything server of the MCP project, which is written in TypeScript.
    pub(crate) fn everything(&self, mode: &str) -> Vec<String> {
        self.node("@modelcontextprotocol/server-everything/dist/index.js", &[mode])
    }

    /// The command that starts one of our programs on the official Python SDK.
    pub(crate) fn python(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let python = self.0.join("venv/bin/python").to_string_lossy().into_owned();
        let mut command = vec![python, peer_path(script)];
        command.extend(arguments.iter().map(|&argument| argument.to_owned()));
        command
    }

    /// The command that starts one of our programs on the official TypeScript SDK.
    pub(crate) fn typescript(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let node = self.0.join("node");
        // The scripts load packages relative to this folder, which needs an absolute path.
        let folder = std::fs::canonicalize(&self.0).expect("the folder exists");
        let command = [node.to_string_lossy(), peer_path(script).into(), folder.to_string_lossy()];
        let command = command.into_iter().map(std::borrow::Cow::into_owned);
        command.chain(arguments.iter().map(|&argument| argument.to_owned())).collect()
    }

    /// The command that starts the official conformance suite.
    pub(crate) fn conformance(&self, command: &str) -> Vec<String> {
        self.node("@modelcontextprotocol/conformance/dist/index.js", &[command])
    }

    /// The command line of our client on the official TypeScript SDK, to which the URL of the server has to be appended.
    pub(crate) fn client_command(&self) -> String {
        self.client_command_of("client.mjs")
    }

    /// The command line of another of our clients on that SDK, to which its own arguments and then the URL have to be
    /// appended.
    pub(crate) fn client_command_of(&self, script: &str) -> String {
        let packages = self.0.join("npm/node_modules");
        let node = self.0.join("node");
        format!("{} {} {}", node.display(), peer_path(script), packages.display())
    }

    /// The command line of `use_all.mjs` with one of the TypeScript SDKs, to which the URL of the server has to be appended.
    pub(crate) fn use_all_with_typescript(&self, sdk: &str) -> String {
        self.typescript_client("use_all.mjs", sdk)
    }

    /// The command of a client on this TypeScript SDK that signs in.
    pub(crate) fn sign_in_with_typescript(&self, sdk: &str) -> String {
        self.typescript_client("sign_in.mjs", sdk)
    }

    fn typescript_client(&self, script: &str, sdk: &str) -> String {
        let [node, packages] = ["node", "npm"].map(|it| self.path(it).display().to_string());
        format!("{node} {} {packages} {sdk}", peer_path(script))
    }

    /// The command that runs a script of an npm package.
    pub(crate) fn node(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let script = self.0.join("npm/node_modules").join(script);
        assert!(script.is_file(), "{} does not exist", script.display());
        let command = [self.0.join("node"), script];
        let command = command.map(|part| part.to_string_lossy().into_owned());
        command.into_iter().chain(arguments.iter().map(|&it| it.to_owned())).collect()
    }

    /// The validator of SARIF files by Microsoft, for x86-64.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    pub(crate) fn sarif_validator(&self) -> String {
        let program = "npm/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool";
        self.0.join(program).to_string_lossy().into_owned()
    }

    /// The command that starts the program of a Python package.
    pub(crate) fn python_program(&self, name: &str) -> Vec<String> {
        let program = self.0.join("venv/bin").join(name);
        assert!(program.is_file(), "{} does not exist", program.display());
        vec![program.to_string_lossy().into_owned()]
    }
}

/// The path of a program in `tests/peers`.
pub(crate) fn peer_path(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name);
    assert!(path.is_file(), "{} does not exist", path.display());
    path.to_string_lossy().into_owned()
}
