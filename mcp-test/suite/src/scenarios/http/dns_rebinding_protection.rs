//! `dns-rebinding-protection`.

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{
    Session, finding, is_local, is_refusal, is_success, opening_request, post,
};
use crate::scenarios::references::{DNS_REBINDING, TRANSPORT_SECURITY};

scenario! {
    /// A local server refuses requests from foreign web pages.
    ///
    /// A page can resolve its own host name to the address of this machine and then reach everything that listens here;
    /// only the headers `Origin` and `Host` show where such a request comes from. The official checks forge both at once,
    /// so a server that looks at only one of them passes. Our own check forges only the origin, which is the header that
    /// the specification names, and also sends it with GET. A server may refuse every origin.
    Server "dns-rebinding-protection": "Requests from foreign web pages are refused",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::active(Revisions::from(Revision::V2025_11_25)),
    transports: StreamableHttp,
    checks: [
        check!("localhost-host-rebinding-rejected",
            "A request with a foreign Host and Origin is refused with HTTP 4xx",
            [TRANSPORT_HTTP_ORIGIN_VALIDATED])
            .official(&[DNS_REBINDING, TRANSPORT_SECURITY]).named("DNSRebindingRejected"),
        check!("localhost-host-valid-accepted", "A request with a local Host and Origin is accepted",
            [LIFECYCLE_INITIALIZE_RESPONSE, DISCOVER_IMPLEMENT, TRANSPORT_HTTP_ACCEPTED_202])
            .official(&[DNS_REBINDING, TRANSPORT_SECURITY]).named("LocalhostHostAccepted"),
        check!("foreign-origin-refused",
            "A foreign Origin is refused even with a local Host, also with GET, and from 2025-11-25 on with HTTP 403",
            [TRANSPORT_HTTP_ORIGIN_VALIDATED, TRANSPORT_HTTP_ORIGIN_403]),
    ],
}

/// What all checks of foreign requests stand for.
const ORIGIN_VALIDATED: &Requirement = Requirement::TRANSPORT_HTTP_ORIGIN_VALIDATED;

const REFUSES_FOREIGN: &str = "localhost-host-rebinding-rejected";
const ACCEPTS_LOCAL: &str = "localhost-host-valid-accepted";
const REFUSES_ORIGIN: &str = "foreign-origin-refused";

/// As in the official suite.
const FOREIGN: &str = "evil.example.com";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let authority = ctx.authority().unwrap_or_default();
    // Rebinding threatens servers on the user's own machine; the official checks fail at any other address.
    if !is_local(&authority) {
        for id in [REFUSES_FOREIGN, ACCEPTS_LOCAL, REFUSES_ORIGIN] {
            let why = format!("the server is not reached at a local address, but at {authority}");
            ctx.check(id).missing(Finding::test(why));
        }
        return Ok(());
    }
    let revision = ctx.revision();
    // A valid first request, so that only its headers can be a reason to refuse it.
    let from = |host: &str, origin: &str| {
        with_origin(post(revision, &opening_request(revision, 1)), origin).header("Host", host)
    };
    let foreign = ctx.http(from(FOREIGN, FOREIGN)).await?;
    let own = ctx.http(from(&authority, &authority)).await?;
    let origin = ctx.http(from(&authority, FOREIGN)).await?;

    let served = accepts_local(ctx, &own, &authority).await?;
    let allows_none = is_refusal(&own) && serves_without_origin(ctx, &authority).await?;
    let is_served = served.is_ok() || allows_none;
    let check = ctx.check(ACCEPTS_LOCAL);
    match allows_none {
        true => drop(check.officially_judge(served, "a server decides which origins it allows")),
        false => drop(check.judge(served)),
    }
    // A server that refuses local requests as well does not show that it looks at the origin; the official check passes.
    if is_refusal(&foreign) && !is_served && ctx.profile() != Profile::Official {
        ctx.check(REFUSES_FOREIGN).skip("the server refuses local requests as well");
    } else {
        ctx.check(REFUSES_FOREIGN).judge(refused("a foreign Host and Origin", &foreign));
    }
    if !is_served {
        ctx.check(REFUSES_ORIGIN).skip("the server refuses local requests as well");
        return Ok(());
    }
    let outcome = foreign_origin(ctx, &origin).await?;
    ctx.check(REFUSES_ORIGIN).judge(outcome);
    Ok(())
}

/// Whether a local request is accepted, and in the handshake era `notifications/initialized` after it.
async fn accepts_local(
    ctx: &mut Ctx,
    answer: &HttpResponse,
    authority: &str,
) -> Result<Result<(), Finding>, Finding> {
    let revision = ctx.revision();
    let handshake = revision.era() == Era::Handshake;
    if !is_success(answer) {
        let broken = if handshake {
            Requirement::LIFECYCLE_INITIALIZE_RESPONSE
        } else {
            Requirement::DISCOVER_IMPLEMENT
        };
        return Ok(Err(finding("a request with a local Host and Origin is refused", answer)
            .expected("HTTP 200")
            .requires(broken)));
    }
    if !handshake {
        return Ok(Ok(()));
    }
    // The official check of the handshake era includes the notification.
    let session = Session::opened(answer, revision);
    let follow_up = ctx.http(with_origin(session.initialized(), authority)).await?;
    session.close(ctx).await;
    Ok(if is_success(&follow_up) {
        Ok(())
    } else {
        Err(finding("a local `notifications/initialized` is refused", &follow_up)
            .expected("HTTP 202")
            .requires(Requirement::TRANSPORT_HTTP_ACCEPTED_202))
    })
}

/// Whether a local request is accepted that names no origin, as those of programs other than browsers.
async fn serves_without_origin(ctx: &mut Ctx, authority: &str) -> Result<bool, Finding> {
    let revision = ctx.revision();
    let request = post(revision, &opening_request(revision, 1)).header("Host", authority);
    let answer = ctx.http(request).await?;
    if is_success(&answer) && revision.era() == Era::Handshake {
        Session::opened(&answer, revision).close(ctx).await;
    }
    Ok(is_success(&answer))
}

/// Whether a foreign origin alone is refused, in the handshake era also on the GET stream.
async fn foreign_origin(
    ctx: &mut Ctx,
    answer: &HttpResponse,
) -> Result<Result<(), Finding>, Finding> {
    let revision = ctx.revision();
    if let Err(finding) = refused("a foreign Origin", answer) {
        return Ok(Err(finding));
    }
    // Earlier revisions require that `Origin` is validated, but no particular status (`basic/transports`).
    if revision.answers_bad_origin_with_403() && answer.status != 403 {
        return Ok(Err(finding("a foreign Origin is refused with another status", answer)
            .expected("HTTP 403")
            .requires(Requirement::TRANSPORT_HTTP_ORIGIN_403)));
    }
    // 2026-07-28 has no GET stream.
    if revision.era() == Era::Stateless {
        return Ok(Ok(()));
    }
    let session = Session::open(ctx).await?;
    // Only the status matters: a stream that is opened would not end.
    let listening = ctx.open_http(with_origin(session.get(), FOREIGN)).await?.close();
    session.close(ctx).await;
    Ok(refused("GET with a foreign Origin", &listening))
}

fn refused(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    ensure(is_refusal(answer), || {
        finding(format!("{what} is not refused"), answer)
            .expected("HTTP 4xx")
            .requires(ORIGIN_VALIDATED)
            .caused_by(Cause::Requirement(ORIGIN_VALIDATED))
    })
}

fn with_origin(request: HttpRequest, authority: &str) -> HttpRequest {
    request.header("Origin", format!("http://{authority}"))
}

proofs! {
    passes on everything();
    catches "localhost-host-rebinding-rejected" by misbehavior(Misbehavior::AllowsAnyOrigin);
    catches "localhost-host-valid-accepted" by status("server/discover", 403);
    catches "localhost-host-valid-accepted" by status("server/discover", 403), under Official;
    catches "localhost-host-valid-accepted" by status("notifications/initialized", 500), at V2025_11_25;
    catches "foreign-origin-refused" by misbehavior(Misbehavior::LooksAtHostOnly);
    catches "foreign-origin-refused" by misbehavior(Misbehavior::LooksAtHostOnly), at V2025_11_25;
    catches "foreign-origin-refused" by misbehavior(Misbehavior::VagueOrigin);
    catches "foreign-origin-refused" by misbehavior(Misbehavior::VagueOrigin), at V2025_11_25;
}
