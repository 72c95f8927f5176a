//! `authorization-client-documents`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{
    AuthorizationCtx, AuthorizationResponse, DocumentHost, HostedDocument, RegisteredAs, Stop,
};

use super::discovery::Metadata;
use super::good_server;
use super::grant::{Grant, parameters_of};
use super::preparation::{skip, usable_metadata};
use super::wrong_grants::{
    fetches_every_time, follows_redirects_of_documents, keeps_documents_always, refuses_documents,
    takes_client_of,
};
use crate::scenarios::prelude::*;

const FETCHED: &str = "client-document-fetched";
const CLIENT_ID: &str = "client-document-client-id";
const REDIRECT_URI: &str = "client-document-redirect-uri";
const VALID: &str = "client-document-valid";
const CACHED: &str = "client-document-cached";
const REDIRECTED: &str = "client-document-redirected";

/// The member of the metadata that announces all of this.
const ANNOUNCED: &str = "client_id_metadata_document_supported";
/// The redirect URI in the documents. Nobody is redirected there.
const LISTED: &str = "http://127.0.0.1:3000/callback";
/// One that they do not have.
const UNLISTED: &str = "http://127.0.0.1:3000/not-listed";

/// The paths of the documents.
const GOOD: &str = "/client.json";
const UNKEPT: &str = "/no-store.json";
const OTHER_ID: &str = "/other-id.json";
const REDIRECTING: &str = "/redirect.json";
const TARGET: &str = "/internal.json";
/// Those that are not valid documents.
const INVALID: [(&str, &str); 3] = [
    ("/not-json.json", "is not JSON"),
    ("/no-redirect-uris.json", "has no `redirect_uris`"),
    ("/no-name.json", "has no `client_name`"),
];

scenario! {
    /// A server that takes URLs as client ids fetches the documents there, and believes only what fits.
    ///
    /// mcp-test serves documents at `http://127.0.0.1` for this: a valid one, one with the `client_id` of another, ones that
    /// are not valid, and one that redirects to another document of this machine. Each is the `client_id` of an authorization
    /// request, for which nobody has to consent. Documents ought to be kept as long as their `Cache-Control` says.
    ///
    /// Many servers fetch `https` URLs alone, or none of the machine that they run on, and are right to do so. Where the
    /// valid document is not fetched, the scenario is skipped, and so it is where the metadata does not announce
    /// `client_id_metadata_document_supported`.
    Authorization "authorization-client-documents": "The metadata document of a client is fetched and examined",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!(FETCHED, "The server accepts a client whose document it has fetched",
            [AUTH_REGISTRATION_AS_CIMD_FETCH]),
        check!(CLIENT_ID, "The server refuses a document whose `client_id` is not its URL",
            [AUTH_REGISTRATION_AS_CIMD_CLIENT_ID_MATCH]),
        check!(REDIRECT_URI, "The server does not redirect to a URI that the document does not have",
            [AUTH_REGISTRATION_AS_CIMD_REDIRECT_CHECK]),
        check!(VALID, "The server refuses a document that is not JSON, or lacks a required member",
            [AUTH_REGISTRATION_AS_CIMD_VALID_DOCUMENT]),
        check!(CACHED, "The server keeps a document as long as its `Cache-Control` says",
            [AUTH_REGISTRATION_AS_CIMD_CACHE]),
        check!(REDIRECTED, "The server does not follow the redirect of a document to this machine",
            [AUTH_REGISTRATION_AS_CIMD_SSRF]),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    if !found.is_true(ANNOUNCED) {
        return Err(skip(format!("the metadata does not announce `{ANNOUNCED}`")));
    }
    let host = DocumentHost::start().await.map_err(|error| {
        Finding::environment("no port can be bound for documents").got(error.to_string())
    })?;
    publish(&host);
    let (seen, response) = request(ctx, &found, &host.url(GOOD), LISTED).await?;
    if host.fetches(GOOD) == 0 {
        ctx.skip_rest(
            "not seen: the server fetches no documents from this machine, where mcp-test has them",
        );
        return Ok(());
    }
    let is_refused = matches!(seen, Seen::Refused);
    let finding = wrong(&response, "the server refuses a client with a valid document", FETCHED);
    let finding = finding.expected("a page, or a code");
    ctx.check(FETCHED).judge(if is_refused { Err(finding) } else { Ok(()) });
    if is_refused {
        ctx.skip_rest("not reached: the server refuses every client with a document");
        return Ok(());
    }
    let (seen, response) = request(ctx, &found, &host.url(OTHER_ID), LISTED).await?;
    let headline = "the server accepts a document whose `client_id` is not its URL";
    judge(ctx, CLIENT_ID, seen, wrong(&response, headline, CLIENT_ID));
    let (seen, response) = request(ctx, &found, &host.url(GOOD), UNLISTED).await?;
    let headline = "the server redirects to a URI that the document does not have";
    judge(ctx, REDIRECT_URI, seen, wrong(&response, headline, REDIRECT_URI));
    judge_invalid(ctx, &found, &host).await?;
    for _ in 0..2 {
        request(ctx, &found, &host.url(UNKEPT), LISTED).await?;
    }
    judge_cache(ctx, &host);
    let (_, response) = request(ctx, &found, &host.url(REDIRECTING), LISTED).await?;
    let headline = "the server follows the redirect of a document to another URL of this machine";
    let finding = wrong(&response, headline, REDIRECTED);
    let finding = finding.expected("no request there").got(format!("a request for {TARGET}"));
    ctx.check(REDIRECTED).judge(match host.fetches(TARGET) {
        0 => Ok(()),
        _ => Err(finding
            .hint("whoever names a client could have the server request what only it can reach")),
    });
    Ok(())
}

/// Puts the documents in their places.
fn publish(host: &DocumentHost) {
    let document = |path: &str| {
        json!({
            "client_id": host.url(path),
            "client_name": "mcp-test",
            "redirect_uris": [LISTED],
            "grant_types": ["authorization_code"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        })
    };
    let without = |path: &str, name: &str| {
        let mut document = document(path);
        document.as_object_mut().map(|members| members.remove(name));
        document
    };
    host.add(HostedDocument::new(GOOD, document(GOOD).to_string(), 600));
    host.add(HostedDocument::new(UNKEPT, document(UNKEPT).to_string(), 0));
    host.add(HostedDocument::new(OTHER_ID, document(GOOD).to_string(), 0));
    let [(not_json, _), (no_uris, _), (no_name, _)] = INVALID;
    let broken = document(not_json).to_string().replace('}', "");
    host.add(HostedDocument::new(not_json, broken, 0));
    host.add(HostedDocument::new(no_uris, without(no_uris, "redirect_uris").to_string(), 0));
    host.add(HostedDocument::new(no_name, without(no_name, "client_name").to_string(), 0));
    host.add(HostedDocument::redirect(REDIRECTING, host.url(TARGET)));
    host.add(HostedDocument::new(TARGET, document(REDIRECTING).to_string(), 0));
}

/// The answer to an authorization request.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// A redirect to the client, with a code, or to a URI that is not its own.
    Accepted,
    Refused,
    /// A page, which may be one to log in.
    Other(u16),
}

/// Requests the authorization of the client with a document.
async fn request(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    client_id: &str,
    redirect_uri: &str,
) -> Result<(Seen, AuthorizationResponse), Stop> {
    let client = RegisteredAs { id: client_id.to_owned(), secret: None };
    let grant = Grant::new(ctx, client, found, redirect_uri)?;
    let url = grant.url(ctx, &grant.request())?;
    let response = ctx.get_page(&url).await?;
    let seen = match response.redirect().filter(|it| it.starts_with(redirect_uri)) {
        Some(_) if redirect_uri == UNLISTED => Seen::Accepted,
        Some(location) if parameters_of(location).first("code").is_some() => Seen::Accepted,
        Some(_) => Seen::Refused,
        None if (400..500).contains(&response.status) => Seen::Refused,
        None => Seen::Other(response.status),
    };
    Ok((seen, response))
}

/// A finding of a check.
fn wrong(response: &AuthorizationResponse, headline: impl Into<String>, check: &str) -> Finding {
    let spec = SCENARIO.check(check);
    let requirement = spec.and_then(|spec| spec.requirements.first()).copied();
    let got = words::into_inert(format!("HTTP {}{}", response.status, response.error()));
    let finding = Finding::peer(headline).expected("an error").got(got);
    let finding = finding.evidence_all(response.evidence());
    requirement.into_iter().fold(finding, Finding::requires)
}

fn judge(ctx: &mut AuthorizationCtx, id: &str, seen: Seen, finding: Finding) {
    let check = ctx.check(id);
    match seen {
        Seen::Accepted => check.fail(finding),
        Seen::Refused => check.pass(),
        Seen::Other(status) => check.info(format!(
            "not seen: the server answers with HTTP {status}, which may be a page to log in"
        )),
    };
}

async fn judge_invalid(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    host: &DocumentHost,
) -> Result<(), Stop> {
    let mut unseen = None;
    for (path, what) in INVALID {
        let (seen, response) = request(ctx, found, &host.url(path), LISTED).await?;
        match seen {
            Seen::Accepted => {
                let headline = format!("the server accepts a client whose document {what}");
                ctx.check(VALID).fail(wrong(&response, headline, VALID));
                return Ok(());
            }
            Seen::Refused => {}
            Seen::Other(status) => unseen = Some(status),
        }
    }
    let check = ctx.check(VALID);
    match unseen {
        None => check.pass(),
        Some(status) => check.info(format!(
            "not seen: the server answers with HTTP {status}, which may be a page to log in"
        )),
    };
    Ok(())
}

/// Compares how often the documents were fetched with what they allow.
fn judge_cache(ctx: &mut AuthorizationCtx, host: &DocumentHost) {
    let wrong = |headline: &str, expected: &str, path: &str| {
        Finding::peer(headline)
            .requires(Requirement::AUTH_REGISTRATION_AS_CIMD_CACHE)
            .expected(expected)
            .got(words::count(host.fetches(path), "request"))
    };
    ctx.check(CACHED).judge(if host.fetches(GOOD) > 1 {
        let headline = "the server fetches a document again that it may keep";
        Err(wrong(headline, "one request, since the document has `max-age=600`", GOOD))
    } else if host.fetches(UNKEPT) == 1 {
        let headline = "the server keeps a document that it may not keep";
        Err(wrong(
            headline,
            "a request for each authorization, since the document has `no-store`",
            UNKEPT,
        ))
    } else {
        Ok(())
    });
}

proofs! {
    passes on good_server();
    warns "client-document-fetched" on refuses_documents();
    catches "client-document-client-id" on takes_client_of("other-id.json");
    catches "client-document-redirect-uri" on takes_client_of("client.json");
    catches "client-document-valid" on takes_client_of("not-json.json");
    catches "client-document-valid" on takes_client_of("no-redirect-uris.json");
    catches "client-document-valid" on takes_client_of("no-name.json");
    warns "client-document-cached" on fetches_every_time();
    warns "client-document-cached" on keeps_documents_always();
    warns "client-document-redirected" on follows_redirects_of_documents();
}
