//! `client-sign-in-requests`.

use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::oauth::redirect_uri::{is_registered, is_secure, is_this_machine};
use mcp_test_core::oauth::scripted::Behavior;
use reqwest::Url;

use super::flow::{Flow, Received, Registered, Step, judge_flow};
use super::older::protected_at;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with an authorization server that registers clients, and whose metadata mention neither resources nor
    /// metadata documents of clients. The scenario looks at what the client registers, and at what it asks for.
    Client "client-sign-in-requests": "The client names the resource, its id and its redirect URI as it has to",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(RESOURCE, "The client names the resource, whatever the authorization server says that it supports",
            [AUTH_RESOURCE_SENT_REGARDLESS]),
        check!(SPECIFIC, "The resource is the endpoint, as in the metadata of the server, and not its origin",
            [AUTH_RESOURCE_MOST_SPECIFIC]),
        check!(HAS_ID, "Each authorization request has the id of the client",
            [AUTH_REGISTRATION_OBTAIN_CLIENT_ID]),
        check!(SECURE, "Each redirect URI is one of HTTPS, or of this machine",
            [AUTH_REDIRECT_CLIENT_LOCALHOST_OR_HTTPS]),
        check!(REGISTERED, "The redirect URI of each authorization request is one that the client has registered",
            [AUTH_REDIRECT_CLIENT_REGISTERED]),
        check!(NATIVE, "A client on this machine registers as a native application",
            [AUTH_REGISTRATION_APPLICATION_TYPE_NATIVE]),
        check!(SUPPORT, "The id is not a URL where the authorization server does not say that it reads one",
            [AUTH_REGISTRATION_CIMD_CHECK_SUPPORT]),
    ],
}

const RESOURCE: &str = "client-always-names-resource";
const SPECIFIC: &str = "client-names-endpoint";
const HAS_ID: &str = "client-has-id";
const SECURE: &str = "client-redirect-uri-secure";
const REGISTERED: &str = "client-redirect-uri-registered";
const NATIVE: &str = "client-registers-as-native";
const SUPPORT: &str = "client-checks-document-support";
const ALL: [&str; 7] = [RESOURCE, SPECIFIC, HAS_ID, SECURE, REGISTERED, NATIVE, SUPPORT];

/// The id that the client gets.
const CLIENT: &str = "client-of-mcp-test";
/// The path of the endpoint.
const ENDPOINT: &str = "/mcp";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { client_id: Some(CLIENT), ..Behavior::default() };
    protected_at(test, behavior, |resource| resource)
}

/// The checks of a run: which were made, as far as they apply at the revision.
struct Rows<'a> {
    judging: &'a mut Judging,
    made: Vec<&'static str>,
}

impl Rows<'_> {
    fn judge(&mut self, check: &'static str, seq: Seq, outcome: Result<(), Finding>) {
        if self.judging.declares(check) {
            self.judging.check(check).judge(outcome.map_err(|finding| finding.evidence(seq)));
            self.made.push(check);
        }
    }

    /// Skips a check that was not made.
    fn end(&mut self, check: &'static str, flow: &Flow) {
        if self.made.contains(&check) || !self.judging.declares(check) {
            return;
        }
        let reason = match check {
            _ if flow.authorizations.is_empty() => Step::Authorization.not_taken(flow).headline,
            SPECIFIC => "the client names no resource".to_owned(),
            _ if flow.registrations.is_empty() => Step::Registration.not_taken(flow).headline,
            NATIVE => {
                "the registration names no type, or a redirect URI of another machine".to_owned()
            }
            _ => "the authorization request names no redirect URI".to_owned(),
        };
        self.judging.check(check).skip(reason);
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let mut rows = Rows { judging, made: Vec::new() };
    for Received { seq, request } in &flow.registrations {
        let uris = redirect_uris(request);
        for uri in &uris {
            rows.judge(SECURE, *seq, is_allowed(uri));
        }
        let stated = request.document.get("application_type").and_then(Value::as_str);
        if let Some(stated) = stated.filter(|_| uris.iter().all(|uri| is_local(uri))) {
            rows.judge(NATIVE, *seq, is_native(stated));
        }
    }
    for Received { seq, request } in &flow.authorizations {
        let parameters = &request.parameters;
        rows.judge(RESOURCE, *seq, names_resource(parameters));
        if let Some(resource) = parameters.first("resource") {
            rows.judge(SPECIFIC, *seq, is_specific(resource));
        }
        let id = parameters.first("client_id").filter(|id| !id.is_empty());
        rows.judge(HAS_ID, *seq, is_right_id(id, &flow));
        rows.judge(SUPPORT, *seq, is_no_url(id));
        if let Some(uri) = parameters.first("redirect_uri") {
            rows.judge(SECURE, *seq, is_allowed(uri));
            if let Some(registration) = flow.registrations.last() {
                let registered = redirect_uris(&registration.request);
                rows.judge(REGISTERED, *seq, is_one_of(&registered, uri));
            }
        }
    }
    for Received { seq, request } in &flow.tokens {
        rows.judge(RESOURCE, *seq, names_resource(&request.parameters));
    }
    for check in ALL {
        rows.end(check, &flow);
    }
    Ok(())
}

/// The redirect URIs of a registration.
fn redirect_uris(request: &Registered) -> Vec<String> {
    let uris = request.document.get("redirect_uris").and_then(Value::as_array).unwrap_or_default();
    uris.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is_local(uri: &str) -> bool {
    Url::parse(uri).is_ok_and(|url| url.host_str().is_some_and(is_this_machine))
}

fn is_allowed(uri: &str) -> Result<(), Finding> {
    match Url::parse(uri).is_ok_and(|url| is_secure(&url)) {
        true => Ok(()),
        false => Err(Finding::peer("the redirect URI is neither one of HTTPS nor of this machine")
            .expected("`https`, or `http` with `localhost` or a loopback address")
            .got(format!("`{uri}`"))),
    }
}

fn is_native(stated: &str) -> Result<(), Finding> {
    match stated {
        "native" => Ok(()),
        other => Err(Finding::peer("a client on this machine registers as another application")
            .expected(
                "`\"application_type\": \"native\"`, since its redirect URIs are of this machine",
            )
            .got(format!("`{other}`"))
            .should()),
    }
}

fn names_resource(parameters: &Parameters) -> Result<(), Finding> {
    match parameters.first("resource") {
        Some(_) => Ok(()),
        None => Err(Finding::peer("the client names no resource")
            .expected("`resource`, although the authorization server does not mention it")
            .got(format!("the parameters {}", parameters.names()))),
    }
}

fn is_specific(resource: &str) -> Result<(), Finding> {
    // What is not a URL is the official suite's finding.
    match Url::parse(resource).is_ok_and(|url| url.path() == "/") {
        false => Ok(()),
        true => Err(Finding::peer("the resource is the origin of the server, not its endpoint")
            .expected(format!("a URL with the path `{ENDPOINT}`, as in the metadata of the server"))
            .got(format!("`{resource}`"))
            .should()),
    }
}

/// Whether an id can be one that the authorization server knows; without a registration it may have been known before.
fn is_right_id(id: Option<&str>, flow: &Flow) -> Result<(), Finding> {
    let is_right = id.is_some_and(|id| {
        id == CLIENT || flow.registrations.is_empty() || id.starts_with("https://")
    });
    match is_right {
        true => Ok(()),
        false => Err(Finding::peer("the authorization request does not have the id of the client")
            .expected(format!("`{CLIENT}`, which the registration has returned"))
            .got(id.map_or("no `client_id`".to_owned(), |id| format!("`{id}`")))),
    }
}

fn is_one_of(registered: &[String], uri: &str) -> Result<(), Finding> {
    match registered.iter().any(|registered| is_registered(registered, uri)) {
        true => Ok(()),
        false => Err(Finding::peer("the redirect URI is not one that the client has registered")
            .expected(format!("one of `{}`", registered.join("`, `")))
            .got(format!("`{uri}`"))),
    }
}

fn is_no_url(id: Option<&str>) -> Result<(), Finding> {
    match id.filter(|id| id.starts_with("https://")) {
        None => Ok(()),
        Some(id) => {
            Err(Finding::peer("the client id is a URL that the authorization server may not read")
                .expected(
                    "a registration, since `client_id_metadata_document_supported` is missing",
                )
                .got(format!("`{id}`"))
                .should())
        }
    }
}

proofs! {
    passes on signing_in_client();
    catches "client-always-names-resource" by no_parameter("token", "resource");
    catches "client-always-names-resource" by no_parameter("authorize", "resource");
    warns "client-names-endpoint" by parameter("authorize", "resource", "http://127.0.0.1");
    catches "client-has-id" by no_parameter("authorize", "client_id");
    catches "client-has-id" by parameter("authorize", "client_id", "another-client");
    catches "client-redirect-uri-secure" by parameter("authorize", "redirect_uri", "http://app.example.com/callback");
    catches "client-redirect-uri-registered" by parameter("authorize", "redirect_uri", "http://127.0.0.1:9/other");
    warns "client-registers-as-native" by parameter("register", "application_type", "web");
    warns "client-checks-document-support" by misbehavior(Misbehavior::AssumesDocuments);
}
