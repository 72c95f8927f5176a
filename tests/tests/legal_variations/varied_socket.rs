//! A relay of sockets, which spells the heads of HTTP messages as a peer with variations does.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::peer::Set;
use super::variation::Change;
use super::wire::{Wire, WireRecord};

/// Which half of a connection the varied peer writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    Client,
    Server,
}

/// Relays connections to a server until the runtime ends, and returns the address at which it listens.
pub(crate) async fn relay(to: SocketAddr, varied: Writer, set: &Set, wire: &Wire) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the address");
    let (set, wire) = (set.clone(), wire.clone());
    tokio::spawn(async move {
        while let Ok((of_client, _)) = listener.accept().await {
            let (set, record) = (set.clone(), wire.open());
            tokio::spawn(async move {
                // The server of a scenario may have ended.
                let Ok(of_server) = TcpStream::connect(to).await else { return };
                let (from_client, to_client) = of_client.into_split();
                let (from_server, to_server) = of_server.into_split();
                let heads = |writer| (varied == writer).then_some((&set, &record));
                tokio::join!(
                    copy(from_client, to_server, heads(Writer::Client)),
                    copy(from_server, to_client, heads(Writer::Server)),
                );
            });
        }
    });
    address
}

/// Copies what one side writes to the other; the varied side with its heads.
async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    varied: Option<(&Set, &WireRecord)>,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let piece = &mut buffer[..length];
        if let Some((set, record)) = varied {
            if let Some(head) = head(piece) {
                for variation in set.iter() {
                    if let Change::Head(change) = variation.change {
                        change(head);
                    }
                }
            }
            record.add(piece);
        }
        if to.write_all(piece).await.is_err() {
            break;
        }
    }
    // The other side may be gone.
    drop(to.shutdown().await);
}

/// The head with which a piece begins, if it does: both sides write heads at once.
fn head(piece: &mut [u8]) -> Option<&mut [u8]> {
    const FIRST: [&str; 4] = ["HTTP/1.1 ", "POST ", "GET ", "DELETE "];
    FIRST.iter().find(|first| piece.starts_with(first.as_bytes()))?;
    let end = piece.windows(4).position(|it| it == b"\r\n\r\n")?;
    Some(&mut piece[..end])
}

/// Spells the names of headers in upper and lower case in turn.
pub(crate) fn odd_case(head: &mut [u8]) {
    for field in head.split_mut(|byte| *byte == b'\n').skip(1) {
        let name = field.split_mut(|byte| *byte == b':').next().unwrap_or_default();
        name.iter_mut().step_by(2).for_each(u8::make_ascii_uppercase);
        name.iter_mut().skip(1).step_by(2).for_each(u8::make_ascii_lowercase);
    }
}
