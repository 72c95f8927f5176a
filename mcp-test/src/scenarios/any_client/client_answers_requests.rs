//! `client-answers-requests`.

use std::time::Duration;

use futures_util::future::join;
use serde_json::json;

use super::exchange::{Exchange, exchanged};
use super::{never_listed, one_tool, server};
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::clock::{self, Deadline};
use crate::json::Object;
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code};
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// Before the server answers `tools/list`, it sends a `ping` and a request whose method does not exist, and waits a moment for the
    /// replies.
    ///
    /// A client must answer a ping, and refuse a method that it does not know. One that does neither gets its list all the same.
    Client "client-answers-requests": "The client answers requests of the server",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            "client-answers-ping",
            "ClientAnswersPing",
            "The client answers `ping` with an empty result",
        )
        .requires(&["ping.responds-promptly", "ping.result-empty"]),
        CheckSpec::own(
            "client-refuses-unknown-method",
            "ClientRefusesUnknownMethod",
            "The client refuses a request of an unknown method with error -32601",
        )
        .requires(&["jsonrpc.unknown-method-error"]),
    ],
}

/// A method that no revision has.
const UNKNOWN: &str = "mcp-test/no-such-method";

/// How long the list waits for the replies. A client may still reply later: all that it sends before it exits counts.
const REPLY_TIME: Duration = Duration::from_secs(2);

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", ask_and_list)
}

async fn ask_and_list(call: Call) -> Answer {
    let replies = join(call.request("ping", json!({})), call.request(UNKNOWN, json!({})));
    // The trace has the replies, and shows which are missing.
    let _replies = clock::within(Deadline::after(REPLY_TIME), replies).await;
    one_tool(call).await
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let (Some(ping), Some(unknown)) = (exchanged(judging, "ping"), exchanged(judging, UNKNOWN))
    else {
        return Err(never_listed(judging));
    };
    judging.check("client-answers-ping").judge(answered_ping(&ping));
    judging.check("client-refuses-unknown-method").judge(refused(&unknown));
    Ok(())
}

fn answered_ping((asked, reply): &Exchange) -> Result<(), Finding> {
    let finding = |headline: &str| {
        Finding::peer(headline).expected("a result without members of its own").evidence(*asked)
    };
    match reply {
        None => Err(finding("the client did not answer `ping`")
            .got("no reply before the client exited")
            .requires("ping.responds-promptly")),
        Some((seq, Message::Response(response))) => {
            let mut members = response.result.as_object().into_iter().flat_map(Object::keys);
            // Any result may have `_meta`.
            match members.find(|name| *name != "_meta") {
                None => Ok(()),
                Some(name) => Err(finding("the result of `ping` is not empty")
                    .got(format!("a member `{name}`"))
                    .requires("ping.result-empty")
                    .evidence(*seq)),
            }
        }
        Some((seq, reply)) => Err(finding("the client answered `ping` with an error")
            .got(reply.to_value().short(120))
            .requires("ping.responds-promptly")
            .evidence(*seq)),
    }
}

fn refused((asked, reply): &Exchange) -> Result<(), Finding> {
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected(format!("error {}", error_code::METHOD_NOT_FOUND))
            .evidence(*asked)
    };
    match reply {
        None => Err(finding("the client did not answer a request of an unknown method")
            .got("no reply before the client exited")),
        Some((_, Message::Error(reply))) if reply.error.code == error_code::METHOD_NOT_FOUND => {
            Ok(())
        }
        Some((seq, Message::Error(reply))) => {
            Err(finding("the client refused an unknown method with another error")
                .got(format!("error {}", reply.error.code))
                .evidence(*seq))
        }
        Some((seq, reply)) => Err(finding("the client answered a request of an unknown method")
            .got(reply.to_value().short(120))
            .evidence(*seq)),
    }
}

proofs! {
    passes on good_client();
    catches "client-answers-ping" by never("ping");
    catches "client-answers-ping" by reply_error("ping", -32601);
    catches "client-answers-ping" by set("ping", "/pong", json!(true));
    catches "client-refuses-unknown-method" by never(UNKNOWN);
    catches "client-refuses-unknown-method" by reply_error(UNKNOWN, -32603);
}
