//! `base-request-ids`.

use mcp_test_core::client::Pending;

use crate::scenarios::prelude::*;

scenario! {
    /// Requests are answered under their ids, whatever whole number or string these are.
    ///
    /// Clients choose their ids: counters, random numbers of 64 bits, UUIDs. A server that reads them as doubles rounds those
    /// above 2^53, and the reply belongs to no request; one that takes 0 or "" for a missing id answers nothing. All requests
    /// are in flight at once.
    Server "base-request-ids": "Requests are answered whatever their id",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("integer-ids", "Requests with ids such as 0 and negative ones are answered under their ids",
            [JSONRPC_REQUEST_ANSWERED]),
        check!("large-integer-ids", "Requests with ids above 2^53 are answered under exactly these ids",
            [JSONRPC_REQUEST_ANSWERED]).only_warns("JSON leaves the precision of numbers to its readers"),
        check!("string-ids",
            "Requests with strings as ids, also an empty, a long and numeric ones beside the same numbers, are answered under their ids",
            [JSONRPC_REQUEST_ANSWERED]),
        check!("unicode-ids", "A string with letters and symbols outside ASCII comes back unchanged in UTF-8",
            [JSONRPC_UTF8]),
    ],
}

/// Above 2^53, where doubles have no odd numbers.
const LARGE: [i64; 2] = [9_007_199_254_740_993, (1 << 62) + 1];
/// Negative, 0, and beyond 32 bits; the other scenarios on the connection count up from 1.
const INTEGERS: [i64; 4] = [0, -1, -9_007_199_254_740_991, 9_007_199_254_740_991];
/// Sent as numbers and as strings.
const ALIKE: [i64; 4] = [7001, 7002, 7003, 7004];
/// Characters of two, three and four bytes in UTF-8.
const UNICODE: &str = "zażółć-漢字-😀";
/// As long as some clients' ids with routing data.
const LONG: usize = 500;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let strings = ["".into(), "0".into(), "a b\"\\\n".into(), "x".repeat(LONG)];
    let strings: Vec<Id> = strings.map(|text: String| Id::from(text.as_str())).into();
    let mut ids: Vec<(&str, Id)> = Vec::new();
    ids.extend(INTEGERS.map(|id| ("integer-ids", Id::from(id))));
    ids.extend(LARGE.map(|id| ("large-integer-ids", Id::from(id))));
    ids.extend(strings.into_iter().map(|id| ("string-ids", id)));
    // A server that takes both for the same loses one only if they meet, which is a matter of chance.
    for number in ALIKE {
        ids.push(("string-ids", Id::from(number)));
        ids.push(("string-ids", Id::from(number.to_string().as_str())));
    }
    if ctx.makes("unicode-ids") {
        ids.push(("unicode-ids", Id::from(UNICODE)));
    }
    let method = always_answered(ctx.revision());
    let mut pending: Vec<(&str, Pending)> = Vec::new();
    for (check, id) in ids {
        pending.push((check, ctx.request(method, json!({})).id(id).promptly().start().await?));
    }
    // The time-outs of all have begun, so that several that are not answered cost one.
    for (check, pending) in pending {
        // An error is an answer as well; `wire-well-formed` reports one with another id.
        let answered = ctx.wait(pending).await.map(|reply| drop(reply.error().cloned()));
        let requirement = match check {
            "unicode-ids" => Requirement::JSONRPC_UTF8,
            _ => Requirement::JSONRPC_REQUEST_ANSWERED,
        };
        let broken = |finding: Finding| {
            let finding = finding.requiring(vec![requirement]);
            if check != "large-integer-ids" {
                return finding;
            }
            // RFC 8259 lets a reader of JSON limit the precision of numbers.
            let finding = finding.should();
            let echo = Cause::for_requirement(Requirement::JSONRPC_RESULT_ID_ECHO);
            match finding.cause.as_deref() == Some(&echo) {
                true => finding.caused_by(Cause::RequirementFor(requirement, check.to_owned())),
                false => finding,
            }
        };
        ctx.check(check).requires(requirement).judge(answered.map_err(broken));
    }
    Ok(())
}

proofs! {
    passes on everything();
    // Takes 0 for a missing id.
    catches "integer-ids" on confusing(|id| *id == Id::from(0), |_| Value::Null), at V2025_11_25, timeout 3;
    // Reads ids as doubles.
    warns "large-integer-ids"
        on confusing(|id| *id == Id::from(LARGE[0]), |_| Value::from(LARGE[0] - 1)), at V2025_11_25;
    // Reads strings of digits as numbers.
    catches "string-ids" on confusing(|id| *id == Id::from("0"), |_| Value::from(0)), at V2025_11_25;
    // Replaces what is not ASCII.
    catches "unicode-ids" on confusing(|id| *id == Id::from(UNICODE), |_| Value::from("za????-??-?")), at V2025_11_25;
}

/// Answers `ping` under another id, if the id is one of these.
fn confusing(is_confused: fn(&Id) -> bool, other: fn(&Id) -> Value) -> Server {
    everything().on("ping", move |call: Call| async move {
        match call.id() {
            Some(id) if is_confused(id) => {
                let reply = json!({"jsonrpc": "2.0", "id": other(id).to_serde(), "result": {}});
                call.send_raw(reply.into()).await.expect("the client reads");
                Answer::already_sent()
            }
            _ => json!({}).into(),
        }
    })
}
