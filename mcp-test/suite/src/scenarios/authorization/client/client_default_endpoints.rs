//! `client-default-endpoints`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt, SentIssuer};

use super::flow::{Flow, Received, Step, judge_flow};
use super::older::protected_at;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server of 2025-03-26 without any metadata. It has to look for those at the origin of the server, without
    /// the path of its endpoint, and use the default endpoints there after that.
    Client "client-default-endpoints": "The client looks for metadata at the origin before it uses the default endpoints",
    revisions: Revisions::only(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(ORIGIN, "The client looks for metadata and endpoints at the origin of the server",
            [AUTH_DISCOVERY_BASE_URL_STRIP_PATH]),
        check!(METADATA_FIRST, "The client uses a default endpoint only after it has looked for metadata",
            [AUTH_DISCOVERY_METADATA_BEFORE_DEFAULTS]),
        check!(DEFAULTS, "The client uses the default endpoints, and no others",
            [AUTH_DISCOVERY_CLIENT_DEFAULT_ENDPOINTS]),
        check!(VERSION, "The requests for metadata have `MCP-Protocol-Version`",
            [AUTH_DISCOVERY_PROTOCOL_VERSION_HEADER]),
    ],
}

const ORIGIN: &str = "client-drops-path";
const METADATA_FIRST: &str = "client-tries-metadata-first";
const DEFAULTS: &str = "client-uses-default-endpoints";
const VERSION: &str = "client-states-version-for-metadata";

const AT_ORIGIN: &str = "/.well-known/oauth-authorization-server";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        metadata: MetadataAt::Nowhere,
        states_iss: false,
        iss: SentIssuer::None,
        ..Behavior::default()
    };
    protected_at(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let first_use = uses(&flow).min();
    judge_origin(judging, &flow);
    let metadata = flow.server_metadata.first().map(|fetched| fetched.seq);
    let row = judging.check(METADATA_FIRST);
    match (metadata, first_use) {
        (_, None) => row.skip("the client uses no endpoint"),
        (Some(metadata), Some(first_use)) if metadata < first_use => row.pass(),
        (_, Some(first_use)) => row.fail(
            Finding::peer("the client uses a default endpoint without looking for metadata")
                .expected(format!("`GET {AT_ORIGIN}` before that"))
                .got("a request to an endpoint")
                .evidence(first_use),
        ),
    };
    let row = judging.check(DEFAULTS);
    match (guessed(&flow), first_use) {
        (Some((seq, got)), _) => row.fail(
            Finding::peer("the client uses an endpoint that is not a default one")
                .expected("`/authorize`, `/token` and `/register` at the origin of the server")
                .got(got)
                .evidence(seq),
        ),
        (None, Some(_)) => row.pass(),
        // Without a registration it may have no id.
        (None, None) => row.skip(Step::Registration.not_taken(&flow).headline),
    };
    if flow.server_metadata.is_empty() {
        judging.check(VERSION).skip("the client does not look for metadata");
    }
    for Received { seq, request } in &flow.server_metadata {
        let outcome = match request.protocol_version {
            Some(_) => Ok(()),
            None => Err(Finding::peer("the request for metadata does not say the revision")
                .expected("`MCP-Protocol-Version`")
                .got(format!("`GET {}` without it", request.path))
                .evidence(*seq)
                .should()),
        };
        judging.check(VERSION).judge(outcome);
    }
    Ok(())
}

/// The requests to the endpoints.
fn uses(flow: &Flow) -> impl Iterator<Item = Seq> {
    let registrations = flow.registrations.iter().map(|received| received.seq);
    let authorizations = flow.authorizations.iter().map(|received| received.seq);
    let guesses = guessed(flow).map(|(seq, _)| seq);
    registrations.chain(authorizations).chain(guesses)
}

/// The first request to an endpoint that does not exist.
fn guessed(flow: &Flow) -> Option<(Seq, String)> {
    let is_endpoint = |path: &str| {
        ["authorize", "token", "register"].iter().any(|it| path.split('/').next_back() == Some(it))
    };
    let guess = flow.unknown.iter().find(|received| is_endpoint(&received.request.path))?;
    Some((guess.seq, format!("`{} {}`", guess.request.verb, guess.request.path)))
}

/// Judges that the path of the endpoint is in no place where the client looks for metadata, unless it looks at the origin as well, as for
/// servers of later revisions.
fn judge_origin(judging: &mut Judging, flow: &Flow) {
    let row = judging.check(ORIGIN);
    let looks = flow.server_metadata.iter().any(|fetched| fetched.request.path == AT_ORIGIN);
    match flow.server_metadata.first() {
        None => row.skip("the client does not look for metadata"),
        Some(_) if looks => row.pass(),
        Some(first) => row.fail(
            Finding::peer("the client does not look for metadata at the origin of the server")
                .expected(format!("`GET {AT_ORIGIN}`"))
                .got(format!("`GET {}`", first.request.path))
                .evidence(first.seq),
        ),
    };
}

proofs! {
    passes on signing_in_client();
    catches "client-drops-path" by misbehavior(Misbehavior::KeepsPath);
    catches "client-uses-default-endpoints" by misbehavior(Misbehavior::KeepsPath);
    catches "client-tries-metadata-first" by misbehavior(Misbehavior::AssumesEndpoints);
    warns "client-states-version-for-metadata" by misbehavior(Misbehavior::HidesVersion);
}
