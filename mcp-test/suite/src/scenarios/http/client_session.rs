//! `client-session`.

use mcp_test_core::client::RequestOptions;

use crate::scenarios::http_exchange::{HttpExchange, http_exchanges};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{knowing_first, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// The server gives each session an id with every kind of visible ASCII character, and ends the first session that lists tools:
    /// it answers that request with HTTP 404.
    ///
    /// A client must send the id of its session with every request, and start a new session after the 404.
    Client "client-session": "The client keeps to its session, and starts a new one after HTTP 404",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!("client-session-id",
            "Every request after `initialize` has the id of its session as the server issued it",
            [TRANSPORT_HTTP_SESSION_ID_ECHOED]),
        check!("client-initialize-without-session", "`initialize` has no session id",
            [TRANSPORT_HTTP_SESSION_404_REINITIALIZE, TRANSPORT_HTTP_SESSIONLESS_TOLERATED]),
        check!("client-new-session", "After HTTP 404 the client starts a new session with `initialize`",
            [TRANSPORT_HTTP_SESSION_404_REINITIALIZE]),
        check!("client-deletes-session", "The client ends its session with DELETE before it exits",
            [TRANSPORT_HTTP_SESSION_DELETE]),
    ],
}

/// Every visible ASCII character that is neither a letter nor a digit; the server adds those.
const SYMBOLS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~Zz";

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Fault::session_id(SYMBOLS)]).on("tools/list", knowing_first(end_or_list))
}

async fn end_or_list(call: Call, is_first: bool) -> Answer {
    if is_first { Answer::end_session() } else { one_tool(call).await }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let exchanges = http_exchanges(judging);
    let opened: Vec<&HttpExchange> = exchanges
        .iter()
        .filter(|exchange| exchange.is_initialize() && exchange.issued.is_some())
        .collect();
    if opened.is_empty() || judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    judging.check("client-session-id").judge(match wrong_id(&exchanges, &opened) {
        Some(finding) => Err(finding),
        None => Ok(()),
    });
    let mut initialize = exchanges.iter().filter(|exchange| exchange.is_initialize());
    let named = initialize.find(|exchange| exchange.session.is_some());
    judging.check("client-initialize-without-session").judge(match named {
        Some(exchange) => Err(initialize_in_session(exchange, &opened)),
        None => Ok(()),
    });
    let is_issued = |id: &String| opened.iter().any(|session| session.issued.as_ref() == Some(id));
    let ended = exchanges.iter().find(|exchange| {
        exchange.status == 404 && exchange.session.as_ref().is_some_and(is_issued)
    });
    let renewed = ended.and_then(|ended| {
        let initialize = exchanges.iter().find(|it| it.is_initialize() && it.follows(ended));
        // That the client began one counts, also if it left before the response.
        initialize.map(|initialize| (ended, initialize))
    });
    let new_session = judging.check("client-new-session");
    match (ended, renewed) {
        (None, _) => new_session.skip("no request with the id of a session got HTTP 404"),
        (Some(_), Some(_)) => new_session.pass(),
        (Some(ended), None) => new_session.fail(tolerates_failed_exit(&exchanges, ended)),
    };
    let deletes = judging.check("client-deletes-session");
    match opened.last().filter(|_| renewed.is_some() || ended.is_none()) {
        None => deletes.skip("the server has ended the only session of the client"),
        Some(last) => deletes.judge(deleted(&exchanges, last)),
    };
    Ok(())
}

/// The first request without the id of its session.
fn wrong_id(exchanges: &[HttpExchange], opened: &[&HttpExchange]) -> Option<Finding> {
    exchanges.iter().find_map(|exchange| {
        let sessions: Vec<&&HttpExchange> =
            opened.iter().filter(|it| exchange.follows(it)).collect();
        let newest = sessions.last()?;
        if exchange.is_initialize() || exchange.is_stateless() {
            return None;
        }
        let issued = newest.issued.as_deref().unwrap_or_default();
        let finding = |headline: String| {
            Finding::peer(headline)
                .expected(format!("`{}: {issued}`", header::MCP_SESSION_ID))
                .evidence_all(newest.answered)
                .evidence(exchange.sent)
        };
        let what = exchange.label();
        let Some(id) = exchange.session.as_deref() else {
            return Some(
                finding(format!("the client sent {what} without the id of its session"))
                    .got(format!("no header `{}`", header::MCP_SESSION_ID)),
            );
        };
        let is_issued = sessions.iter().any(|session| session.issued.as_deref() == Some(id));
        let got = format!("`{}: {id}`", header::MCP_SESSION_ID);
        if !is_issued {
            let headline =
                format!("the client sent {what} with an id that the server did not issue");
            return Some(finding(headline).got(got));
        }
        // A stream of the session before may still be resumed, and that session be deleted.
        let is_old = id != issued && exchange.method == "POST";
        is_old.then(|| {
            finding(format!("the client sent {what} with the id of the session before")).got(got)
        })
    })
}

fn initialize_in_session(exchange: &HttpExchange, opened: &[&HttpExchange]) -> Finding {
    let id = exchange.session.as_deref().unwrap_or_default();
    let is_first = !opened.iter().any(|session| exchange.follows(session));
    let finding = Finding::peer("the client sent `initialize` with a session id")
        .expected("`initialize` without a session id, which only the server issues")
        .got(format!("`{}: {id}`", header::MCP_SESSION_ID))
        .evidence(exchange.sent);
    if is_first {
        finding.requires(Requirement::TRANSPORT_HTTP_SESSIONLESS_TOLERATED)
    } else {
        finding.requires(Requirement::TRANSPORT_HTTP_SESSION_404_REINITIALIZE)
    }
}

/// The finding that the client did not start a new session after the 404.
fn tolerates_failed_exit(exchanges: &[HttpExchange], ended: &HttpExchange) -> Finding {
    let after: Vec<&HttpExchange> = exchanges.iter().filter(|it| it.follows(ended)).collect();
    let finding = Finding::peer("the client started no new session after HTTP 404")
        .expected(format!("`initialize` without a session id, once {} got HTTP 404", ended.label()))
        .evidence(ended.sent)
        .evidence_all(ended.answered);
    match after.last() {
        None => finding.got("no request after it"),
        Some(last) => finding
            .got(format!("no `initialize`; the last request was {}", last.label()))
            .evidence(last.sent),
    }
}

fn deleted(exchanges: &[HttpExchange], last: &HttpExchange) -> Result<(), Finding> {
    let mut deletes = exchanges.iter().filter(|it| it.method == "DELETE" && it.follows(last));
    if deletes.any(|delete| delete.session == last.issued) {
        return Ok(());
    }
    Err(Finding::peer("the client did not end its session")
        .expected("DELETE with the id of the session, before the client exits")
        .got("no such request")
        .evidence_all(last.answered)
        .should())
}

/// Lists the tools, whatever comes of it, in one session after the other.
///
/// Each request has the options of its turn; the client deletes the last session if `leaves` says so.
fn listing(turns: &'static [fn(RequestOptions) -> RequestOptions], leaves: bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        for options in turns {
            client.initialize().await?.result()?;
            let options = options(RequestOptions::new());
            // Refused in each session whose request is wrong, and in the one that the server ends.
            if let Ok(reply) = client.request_with("tools/list", json!({}), options).await {
                let _ = reply.outcome();
            }
        }
        if leaves {
            client.end().await;
        }
        Ok(())
    })
}

fn plain(options: RequestOptions) -> RequestOptions {
    options
}

fn in_an_unknown_session(options: RequestOptions) -> RequestOptions {
    options.header(header::MCP_SESSION_ID, "session")
}

fn stays() -> ScriptedClient {
    listing(&[plain], true)
}

fn changes_the_id() -> ScriptedClient {
    listing(&[plain, in_an_unknown_session], true)
}

fn forgets_the_id() -> ScriptedClient {
    listing(&[plain, plain], true).faults([Fault::no_header("tools/list", header::MCP_SESSION_ID)])
}

fn leaves_without_delete() -> ScriptedClient {
    listing(&[plain, plain], false)
}

proofs! {
    passes on good_client();
    catches "client-session-id" on forgets_the_id();
    catches "client-session-id" on changes_the_id();
    catches "client-initialize-without-session" by header("initialize", "Mcp-Session-Id", "invented");
    catches "client-new-session" on stays();
    warns "client-deletes-session" on leaves_without_delete();
}
