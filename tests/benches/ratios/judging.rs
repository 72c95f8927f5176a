//! The cost of judging a long conversation event by event: a message of a million costs what one of a hundred thousand does, and no
//! more memory.

use std::env;
use std::io::{Error, Result};

use mcp_test::check::WireJudge;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use mcp_test::trace::{ConnectionId, Event, EventKind, Party, Recorder, Seq};

use crate::cost::Cost;
use crate::rows;

/// The argument that makes this program judge a conversation of so many calls.
pub(crate) const CHILD: &str = "--judge";

/// How many messages a call has: the request, progress, and the reply.
const OF_CALL: u32 = 3;

const MANY: u32 = 999_999;
const FEW: u32 = MANY / 9;

pub(crate) fn table() -> Result<()> {
    let cost = |messages: u32| {
        let program = env::current_exe()?.to_string_lossy().into_owned();
        Cost::of(&[program, CHILD.to_owned(), messages.to_string()])
    };
    let (many, few) = (cost(MANY)?, cost(FEW)?);
    let share = f64::from(MANY / FEW);
    let of_share = Cost { cpu: many.cpu / share, wall: many.wall / share, ..many };
    rows("judging a million messages, by a ninth of them", of_share, few);
    Ok(())
}

/// Judges so many messages of a server and its client.
pub(crate) fn judge(messages: &str) -> Result<()> {
    let messages: u32 = messages.parse().map_err(Error::other)?;
    let connection = Recorder::new().open("stdio");
    let rules = || (Schemas::ours(), Authority::Text);
    let mut judges = [Party::Server, Party::Client].map(|who| WireJudge::new(who, rules()));
    let handshake = [
        (
            Party::Client,
            r#""id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1"}}"#,
        ),
        (
            Party::Server,
            r#""id":"begin","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"server","version":"1"}}"#,
        ),
    ];
    let handshake = handshake.map(|(party, members)| (party, members.to_owned()));
    let calls = (0..messages / OF_CALL).flat_map(call);
    for (place, (party, members)) in (0..).zip(handshake.into_iter().chain(calls)) {
        let event = event(connection, place, party, &members);
        for judge in &mut judges {
            if let Some(finding) = judge.event(&event, Revision::V2025_11_25).first() {
                return Err(Error::other(finding.to_string()));
            }
        }
    }
    Ok(())
}

/// The messages of a call, without the braces and the version.
fn call(id: u32) -> [(Party, String); OF_CALL as usize] {
    let params =
        format!(r#"{{"name":"add","arguments":{{"a":{id}}},"_meta":{{"progressToken":{id}}}}}"#);
    let progress = format!(r#"{{"progressToken":{id},"progress":1,"total":2}}"#);
    let result = r#"{"content":[{"type":"text","text":"The sum."}]}"#;
    [
        (Party::Client, format!(r#""id":{id},"method":"tools/call","params":{params}"#)),
        (Party::Server, format!(r#""method":"notifications/progress","params":{progress}"#)),
        (Party::Server, format!(r#""id":{id},"result":{result}"#)),
    ]
}

fn event(connection: ConnectionId, place: u64, party: Party, members: &str) -> Event {
    Event {
        seq: Seq::nth(place),
        at: std::time::Duration::from_millis(place),
        connection,
        exchange: None,
        party,
        deliberate: false,
        kind: EventKind::message(format!(r#"{{"jsonrpc":"2.0",{members}}}"#).into()),
    }
}
