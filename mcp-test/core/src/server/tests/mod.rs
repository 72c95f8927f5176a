//! Conversations with the server: raw text in, raw text out.

mod faults;
mod given;
#[cfg(feature = "http")]
mod http;
mod lines;
#[cfg(all(unix, feature = "suite"))]
mod relayed;
mod script;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::Server;

/// Says these lines to a server, closes, and returns everything it says.
fn say(server: &Server, lines: &[&str]) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (mut client, io) = tokio::io::duplex(1 << 20);
        let talking = async move {
            for line in lines {
                client.write_all(line.as_bytes()).await.unwrap();
                client.write_all(b"\n").await.unwrap();
            }
            client.shutdown().await.unwrap();
            let mut said = Vec::new();
            client.read_to_end(&mut said).await.unwrap();
            String::from_utf8_lossy(&said).into_owned()
        };
        tokio::join!(talking, server.serve(io)).0
    })
}
