//! `http-clients`.

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{
    Session, declared_list, finding, is_served, post, reply, request,
};

scenario! {
    /// One server process serves several clients at the same time, and each gets the replies to its own requests.
    ///
    /// Two clients send requests with equal ids at the same time, one for a list, one for something else. A server that
    /// finds the client by the id of its request, or keeps one transport for all of them, mixes them up, so that a client
    /// receives what another one asked for.
    Server "http-clients": "Two clients get their own replies",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!("second-client-served", "A second client is served while the first one is connected",
            [TRANSPORT_HTTP_MULTIPLE_CLIENTS]).conditional(),
        check!("replies-to-own-client",
            "Of two clients that send requests with equal ids at the same time, each gets its own replies",
            [TRANSPORT_HTTP_MULTIPLE_CLIENTS, JSONRPC_REQUEST_ANSWERED]).conditional(),
    ],
}

/// The ids that both clients use.
const IDS: [i64; 4] = [11, 12, 13, 14];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if ctx.revision().era() == Era::Stateless {
        let revision = ctx.revision();
        let send = |message: &serde_json::Value| post(revision, message);
        return both_at_once(ctx, send, send).await;
    }
    let first = Session::open(ctx).await?;
    ctx.http(first.initialized()).await?;
    let outcome = with_second(ctx, &first).await;
    first.close(ctx).await;
    outcome
}

async fn with_second(ctx: &mut Ctx, first: &Session) -> Result<(), Finding> {
    let second = match Session::open(ctx).await {
        Ok(second) => second,
        Err(mut refused) => {
            // The first client was accepted in the same way.
            refused.headline = "a second client is refused while the first one is connected".into();
            refused.requirements = vec![Requirement::TRANSPORT_HTTP_MULTIPLE_CLIENTS];
            ctx.check("second-client-served").fail(refused);
            return Ok(());
        }
    };
    ctx.check("second-client-served").pass();
    ctx.http(second.initialized()).await?;
    let outcome =
        both_at_once(ctx, |message| first.post(message), |message| second.post(message)).await;
    // Of a server without sessions both have no id; the same id for both is reported by `server-session-lifecycle`.
    if second.id != first.id {
        second.close(ctx).await;
    }
    outcome
}

async fn both_at_once(
    ctx: &mut Ctx,
    first: impl Fn(&serde_json::Value) -> HttpRequest,
    second: impl Fn(&serde_json::Value) -> HttpRequest,
) -> Result<(), Finding> {
    let revision = ctx.revision();
    let Some(list) = declared_list(ctx).await? else {
        ctx.check("replies-to-own-client").skip("the server has no list to be asked for");
        return Ok(());
    };
    let listing = |id| request(revision, id, list.method(), json!({}));
    let alone = ctx.http(second(&listing(10))).await?;
    if !is_list(list, &alone, 10) {
        let why = format!("`{}` does not return the list", list.method());
        ctx.check("replies-to-own-client").skip(why);
        return Ok(());
    }
    let short = |id| request(revision, id, always_answered(revision), json!({}));
    let posts = IDS.into_iter().flat_map(|id| [first(&short(id)), second(&listing(id))]);
    let posts: Vec<HttpRequest> = posts.collect();
    let answers: Vec<HttpResponse> =
        ctx.http_all(posts).await?.into_iter().collect::<Result<_, _>>()?;
    let mut check = ctx.check("replies-to-own-client").pass();
    for (id, pair) in IDS.into_iter().zip(answers.chunks(2)) {
        for (answer, wants_list) in pair.iter().zip([false, true]) {
            let headline = "a request is not answered while another client sends one, too";
            check = check.requires(Requirement::JSONRPC_REQUEST_ANSWERED);
            check = check.judge(is_served(headline, answer, id));
            let is_list = is_list(list, answer, id);
            if reply(answer, id).is_some_and(|reply| reply.is_ok()) && is_list != wants_list {
                let wanted = if wants_list { list.method() } else { always_answered(revision) };
                let mixed = finding("a client received the reply to another client", answer)
                    .expected(format!("the result of `{wanted}`"));
                check = check.requires(Requirement::TRANSPORT_HTTP_MULTIPLE_CLIENTS).fail(mixed);
            }
        }
    }
    drop(check);
    Ok(())
}

/// Whether a response is the list.
fn is_list(list: ItemKind, answer: &HttpResponse, id: i64) -> bool {
    let result = reply(answer, id).and_then(Result::ok);
    result.is_some_and(|result| result.get(list.member()).is_some())
}

proofs! {
    passes on everything();
    catches "replies-to-own-client" by answer("ping", json!({"tools": []})), at V2025_11_25;
    catches "second-client-served" by misbehavior(Misbehavior::ServesOneSession), at V2025_11_25;
}
