//! Where the relays of one scenario run find us: a socket that only this user can reach, and files that name the command.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;
use tokio::net::UnixListener;

use super::{ARGUMENT, RelayFaults, RelayedConnection};
use crate::process::{Command, PrivateFolder};
use crate::transport::generated_id::generate_id;
use crate::transport::started_servers::StartedServers;

/// Listens for the relays of one scenario run; its folder is deleted with it.
#[derive(Debug)]
pub(crate) struct StdioListener {
    // Before the folder, so that the socket is closed when it is deleted.
    listener: UnixListener,
    command: Command,
    servers: StartedServers,
    _folder: PrivateFolder,
}

impl StdioListener {
    /// Listens; clients start `program`, which is `mcp-test`, as a relay with these faults.
    ///
    /// # Errors
    ///
    /// If the folder, the socket or the file cannot be created.
    pub(crate) fn listen(program: &Path, faults: RelayFaults) -> io::Result<Self> {
        let folder = PrivateFolder::create(&format!("mcp-test-{}", generate_id()))?;
        let socket = folder.path().join("server");
        let listener = UnixListener::bind(&socket)?;
        let text =
            |path: &Path| path.to_str().map(str::to_owned).ok_or(io::ErrorKind::InvalidInput);
        // In arguments and not in variables: many clients do not pass theirs on.
        let (socket, config) = (text(&socket)?, text(&folder.path().join("mcp.json"))?);
        let command =
            Command::new(text(program)?).arg(ARGUMENT).arg(&socket).args(faults.arguments());
        let server = json!({"command": command.program, "args": command.args, "env": {}});
        let hosts = json!({"mcpServers": {"mcp-test": server}});
        fs::write(&config, format!("{hosts:#}\n"))?;
        let servers = StartedServers::new(socket, config);
        Ok(Self { listener, command, servers, _folder: folder })
    }

    /// The command that starts a relay.
    pub(crate) fn command(&self) -> &Command {
        &self.command
    }

    /// The servers that the client has started.
    pub(crate) fn servers(&self) -> &StartedServers {
        &self.servers
    }

    /// Waits for the next relay.
    pub(crate) async fn accept(&self) -> Option<RelayedConnection> {
        loop {
            match self.listener.accept().await {
                Ok((socket, _)) => {
                    return Some(RelayedConnection { socket, started: self.servers.start() });
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                // Any other error is about this process, so that the next call would meet it again.
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_folder_of_a_listener_names_the_command_for_hosts_and_is_deleted() {
        let program = Path::new("/bin/mcp-test");
        let faults = RelayFaults { ignores_term: true, ..RelayFaults::default() };
        let listener = StdioListener::listen(program, faults).expect("a socket");
        let config = Path::new(listener.servers().config()).to_owned();
        let text = fs::read_to_string(&config).expect("a file");
        let hosts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let server = &hosts["mcpServers"]["mcp-test"];
        assert_eq!(server["command"], "/bin/mcp-test");
        assert_eq!(server["args"], serde_json::json!(listener.command().args));
        assert_eq!(server["args"][2], "ignore-term");
        drop(listener);
        assert!(!config.parent().expect("a folder").exists());
    }
}
