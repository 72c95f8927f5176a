//! `dns-rebinding-protection`.

use super::raw::{Session, finding, is_refusal, is_success, opening, post};
use super::references::{DNS_REBINDING, TRANSPORT_SECURITY};
use crate::check::Finding;
use crate::scenario::{CheckSpec, Ctx, Official, Profile};
use crate::server::reference::everything;
use crate::spec::{Era, Revision, Revisions};
use crate::transport::fault::Lapse;
use crate::transport::{HttpAnswer, HttpRequest};
use crate::{proofs, scenario};

scenario! {
    /// A server on this machine refuses what a foreign web page sends it.
    ///
    /// A page can give its own host name the address of this machine, and then speak to everything that listens here:
    /// only the headers `Origin` and `Host` tell where such a request comes from. The official checks forge both at
    /// once, so that a server passes which looks at one of them only; the check of our own forges the origin alone,
    /// which is the header that the specification speaks of, and sends it with GET as well.
    Server "dns-rebinding-protection": "Requests of foreign web pages are refused",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::active(Revisions::from(Revision::V2025_11_25)),
    carriers: StreamableHttp,
    checks: [
        CheckSpec::official(
            "localhost-host-rebinding-rejected",
            "DNSRebindingRejected",
            "A request with a foreign Host and Origin is refused with HTTP 4xx",
            &[DNS_REBINDING, TRANSPORT_SECURITY],
        )
        .requires(&["transport.http.origin-validated"]),
        CheckSpec::official(
            "localhost-host-valid-accepted",
            "LocalhostHostAccepted",
            "A request with the Host and Origin of this machine is served",
            &[DNS_REBINDING, TRANSPORT_SECURITY],
        )
        .requires(&["lifecycle.initialize-response", "discover.implement", "transport.http.accepted-202"]),
        CheckSpec::own(
            "foreign-origin-refused",
            "ForeignOriginRefused",
            "A foreign Origin is refused even with the right Host, from 2025-11-25 on with HTTP 403; where there is GET, there too",
        )
        .requires(&["transport.http.origin-validated", "transport.http.origin-403"]),
    ],
}

const REFUSES: &str = "localhost-host-rebinding-rejected";
const SERVES: &str = "localhost-host-valid-accepted";
const ORIGIN: &str = "foreign-origin-refused";

const FOREIGN: &str = "evil.example.com";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let authority = ctx.authority().unwrap_or_default();
    if !is_local(&authority) {
        for id in [REFUSES, SERVES, ORIGIN] {
            let why =
                format!("the server is not reached as one of this machine, but as {authority}");
            ctx.check(id).missing(Finding::test(why));
        }
        return Ok(());
    }
    let revision = ctx.revision();
    let from = |host: &str, origin: &str| {
        with_origin(post(revision, &opening(revision, 1)), origin).header("Host", host)
    };
    let foreign = ctx.http(from(FOREIGN, FOREIGN)).await?;
    let own = ctx.http(from(&authority, &authority)).await?;
    let origin = ctx.http(from(&authority, FOREIGN)).await?;

    let served = serves(ctx, &own, &authority).await?;
    let is_served = served.is_ok();
    ctx.check(SERVES).judge(served);
    if is_refusal(&foreign) && !is_served && ctx.profile() != Profile::Official {
        ctx.check(REFUSES).skip("the server refuses what comes from this machine as well");
    } else {
        ctx.check(REFUSES).judge(refused("a foreign Host and Origin", &foreign));
    }
    if !is_served {
        ctx.check(ORIGIN).skip("the server refuses what comes from this machine as well");
        return Ok(());
    }
    let outcome = foreign_origin(ctx, &origin).await?;
    ctx.check(ORIGIN).judge(outcome);
    Ok(())
}

/// That a request from this machine is served, and in the handshake era what follows on it.
async fn serves(
    ctx: &mut Ctx,
    answer: &HttpAnswer,
    authority: &str,
) -> Result<Result<(), Finding>, Finding> {
    let revision = ctx.revision();
    let handshake = revision.era() == Era::Handshake;
    if !is_success(answer) {
        let broken = if handshake { "lifecycle.initialize-response" } else { "discover.implement" };
        return Ok(Err(finding(
            "a request with the Host and Origin of this machine is refused",
            answer,
        )
        .expected("HTTP 200")
        .requires(broken)));
    }
    if !handshake {
        return Ok(Ok(()));
    }
    let session = Session::opened(answer, revision);
    let follow_up = ctx.http(with_origin(session.initialized(), authority)).await?;
    session.close(ctx).await;
    Ok(if is_success(&follow_up) {
        Ok(())
    } else {
        Err(finding("`notifications/initialized` from this machine is refused", &follow_up)
            .expected("HTTP 202")
            .requires("transport.http.accepted-202"))
    })
}

/// That a foreign origin is refused by itself, and where sessions can be listened to, there as well.
async fn foreign_origin(
    ctx: &mut Ctx,
    answer: &HttpAnswer,
) -> Result<Result<(), Finding>, Finding> {
    let revision = ctx.revision();
    if let Err(finding) = refused("a foreign Origin", answer) {
        return Ok(Err(finding));
    }
    if revision >= Revision::V2025_11_25 && answer.status != 403 {
        return Ok(Err(finding("a foreign Origin is refused with another status", answer)
            .expected("HTTP 403")
            .requires("transport.http.origin-403")));
    }
    if revision.era() == Era::Stateless {
        return Ok(Ok(()));
    }
    let session = Session::open(ctx).await?;
    let listening = ctx.open_http(with_origin(session.get(), FOREIGN)).await?.close();
    session.close(ctx).await;
    Ok(refused("GET with a foreign Origin", &listening))
}

fn refused(what: &str, answer: &HttpAnswer) -> Result<(), Finding> {
    if is_refusal(answer) {
        return Ok(());
    }
    Err(finding(format!("{what} is not refused"), answer)
        .expected("HTTP 4xx")
        .requires("transport.http.origin-validated"))
}

fn with_origin(request: HttpRequest, authority: &str) -> HttpRequest {
    request.header("Origin", format!("http://{authority}"))
}

/// Whether a host, perhaps with a port, is this machine.
fn is_local(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    matches!(host, "localhost" | "127.0.0.1" | "::1")
}

proofs! {
    passes on everything();
    catches "localhost-host-rebinding-rejected" by lapse(Lapse::AllowsAnyOrigin), also "foreign-origin-refused" Failure;
    catches "localhost-host-valid-accepted" by status("server/discover", 403),
        also "localhost-host-rebinding-rejected" Skipped, also "foreign-origin-refused" Skipped;
    catches "localhost-host-valid-accepted" by status("server/discover", 403), under Official,
        also "foreign-origin-refused" Skipped;
    catches "localhost-host-valid-accepted" by status("notifications/initialized", 500), at V2025_11_25,
        also "localhost-host-rebinding-rejected" Skipped, also "foreign-origin-refused" Skipped;
    catches "foreign-origin-refused" by lapse(Lapse::LooksAtHostOnly);
    catches "foreign-origin-refused" by lapse(Lapse::LooksAtHostOnly), at V2025_11_25;
}
