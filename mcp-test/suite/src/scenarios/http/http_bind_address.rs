//! `http-bind-address`.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use mcp_test_core::transport::TransportKind;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::is_local;

scenario! {
    /// A server that runs locally listens on the loopback address only.
    ///
    /// Otherwise every machine in the network can call its tools. A socket that is bound to `127.0.0.1` refuses connections
    /// to `127.0.0.2`, although both lead to this machine; one that is bound to all addresses accepts them. So nothing is
    /// sent into the network. Where the system has one loopback address only, as macOS has, the check is not made.
    Server "http-bind-address": "A local server listens on the loopback address only",
    revisions: Revisions::all(),
    transports: Only [Http, Sse],
    checks: [
        check!("loopback-only",
            "A server that is reached at a loopback address accepts no connection at another address",
            [TRANSPORT_HTTP_BIND_LOCALHOST, TRANSPORT_SSE_BIND_LOCALHOST]).conditional(),
    ],
}

/// An address of this machine at which nothing listens that is bound to `127.0.0.1` or `::1`.
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// How long a connection within this machine may take, which succeeds or fails at once.
const WAIT: Duration = Duration::from_millis(500);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let authority = ctx.authority().unwrap_or_default();
    let port = authority.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
    let Some(port) = port.filter(|_| is_local(&authority)) else {
        let why =
            format!("the server is not reached at a port of this machine, but at {authority}");
        ctx.check("loopback-only").skip(why);
        return Ok(());
    };
    if !can_tell() {
        ctx.check("loopback-only").skip("this system does not tell loopback addresses apart");
        return Ok(());
    }
    let row = match ctx.transport() {
        TransportKind::Sse => Requirement::TRANSPORT_SSE_BIND_LOCALHOST,
        _ => Requirement::TRANSPORT_HTTP_BIND_LOCALHOST,
    };
    ctx.check("loopback-only").requires(row).judge(ensure(!accepts(port), || {
        Finding::peer("the server listens on more than the loopback address")
            .expected("a socket that is bound to 127.0.0.1 or ::1, as for every local server")
            .got(format!("a connection at {OTHER}:{port}, as of a socket bound to all addresses"))
            .should()
    }));
    Ok(())
}

/// Whether this system refuses a connection to another loopback address than a socket is bound to.
fn can_tell() -> bool {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.as_ref().ok().and_then(|listener| listener.local_addr().ok());
    // Without the address, as on macOS, no socket at all accepts the connection.
    let has_other = TcpListener::bind((OTHER, 0)).is_ok();
    has_other && address.is_some_and(|address| !accepts(address.port()))
}

fn accepts(port: u16) -> bool {
    TcpStream::connect_timeout(&SocketAddr::from((OTHER, port)), WAIT).is_ok()
}

proofs! {
    passes on everything();
    warns "loopback-only" by misbehavior(Misbehavior::ListensEverywhere);
    warns "loopback-only" by misbehavior(Misbehavior::ListensEverywhere), over Sse, at V2024_11_05;
}
