//! `json-schema-ref-no-deref`.

use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2106;

scenario! {
    /// The client does not fetch the schemas to which the `$ref`s of a tool refer: a server could make it send requests to any
    /// address that only the client can reach.
    ///
    /// The URLs are those of the test server, which records the requests. The official check looks for one `$ref` of an
    /// `inputSchema`; our own check also for a relative one below an `$id`, and for one in an `outputSchema`. Except in profile
    /// `official`, the tools can be called.
    Client "json-schema-ref-no-deref": "The client does not fetch the schemas that a tool refers to",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: [
        check!("sep-2106-no-network-ref-deref",
            "The client lists the tools, and does not fetch the schema that a parameter refers to",
            NO_FETCH).official(&[SEP_2106]).named("NoNetworkRefDereference")
            .always_fails("one request breaks both requirements"),
        check!("client-fetches-no-schemas",
            "The client fetches no schema for a relative `$ref`, nor for one in an `outputSchema`",
            NO_FETCH).always_fails("one request breaks both requirements"),
    ],
}

const NO_FETCH: &[&Requirement] =
    &[Requirement::BASE_SCHEMA_REF_NO_NETWORK, Requirement::TOOLS_SECURITY_CLIENT_REF_RESOLUTION];

/// The folder of the schemas.
const FOLDER: &str = "/canary/";
/// The schema that the official suite refers to.
const PROFILE: &str = "/canary/profile-schema.json";
const TEAM_ID: &str = "/canary/team-id-schema.json";
const LEAD: &str = "/canary/lead-schema.json";

fn serve(test: &ClientTest) -> Server {
    let listening = test.clone();
    // Served, so that a client which fetches them does not fail for another reason.
    let schema = || json!({ "type": "string" });
    let server = [PROFILE, TEAM_ID, LEAD]
        .into_iter()
        .fold(lenient_server(test), |server, path| server.document(path, schema()));
    let server = server.on("tools/list", move |_: Call| {
        // The port is known only now.
        let origin = listening.url().trim_end_matches("/mcp").to_owned();
        async move { json!({ "tools": tools(&origin) }) }
    });
    // The server of the official suite cannot call its tool, and a client that gives up for this reason fails there.
    if test.profile == Profile::Official {
        return server;
    }
    server.on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "{}" }], "structuredContent": {} })
    })
}

fn tools(origin: &str) -> serde_json::Value {
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    json!([
        {
            "name": "lookup_user",
            "description": "Looks up a user",
            "inputSchema": {
                "$schema": dialect,
                "type": "object",
                "$defs": { "userId": { "type": "string", "pattern": "^[a-z0-9-]+$" } },
                "properties": {
                    "id": { "$ref": "#/$defs/userId" },
                    "profile": { "$ref": format!("{origin}{PROFILE}") },
                },
                "required": ["id"],
            },
        },
        {
            "name": "lookup_team",
            "description": "Looks up a team",
            "inputSchema": {
                "$schema": dialect,
                "$id": format!("{origin}{FOLDER}team-schema.json"),
                "type": "object",
                "properties": { "team": { "$ref": TEAM_ID.trim_start_matches(FOLDER) } },
            },
            "outputSchema": { "type": "object", "properties": { "lead": { "$ref": format!("{origin}{LEAD}") } } },
        },
    ])
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(judging
            .task_not_done("the client never listed the tools")
            .expected("`tools/list`")
            .got("no `tools/list` in the whole conversation"));
    }
    let (profile, others): (Vec<_>, Vec<_>) =
        fetched(judging).into_iter().partition(|(_, path)| path == PROFILE);
    if !judging.requests("tools/call").is_empty() {
        // Without the schema a client cannot validate the result, and may refuse it.
        judging.tolerate_failed_exit();
    }
    judging.check("sep-2106-no-network-ref-deref").judge(nothing_in(&profile));
    judging.check("client-fetches-no-schemas").judge(nothing_in(&others));
    Ok(())
}

/// The requests for schemas, and their paths.
fn fetched(judging: &Judging) -> Vec<(Seq, String)> {
    let trace = judging.trace();
    let fetched = trace.events.iter().filter_map(|event| match &event.kind {
        EventKind::HttpRequest { path, .. } if path.starts_with(FOLDER) => {
            let path = path.split('?').next().unwrap_or_default();
            Some((event.seq, path.to_owned()))
        }
        _ => None,
    });
    fetched.collect()
}

fn nothing_in(fetched: &[(Seq, String)]) -> Result<(), Finding> {
    let [(_, path), ..] = fetched else { return Ok(()) };
    Err(Finding::peer("the client fetches a schema that a tool refers to")
        .expected("no request, unless a user has switched it on")
        .got(format!("a request for {path}"))
        .evidence_all(fetched.iter().map(|(seq, _)| *seq)))
}

/// A client that lists the tools and fetches a schema.
fn fetching(path: &'static str) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        let deadline = Deadline::after(Duration::from_secs(20));
        let answer = task.open().await?.http(HttpRequest::get().at(path), deadline).await?;
        answer
            .json()
            .map(|_| ())
            .ok_or_else(|| format!("HTTP {} and no schema", answer.status).into())
    })
}

proofs! {
    passes on good_client();
    catches "sep-2106-no-network-ref-deref" on fetching(PROFILE);
    catches "client-fetches-no-schemas" on fetching(TEAM_ID);
}
