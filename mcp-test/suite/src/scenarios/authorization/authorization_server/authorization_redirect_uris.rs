//! `authorization-redirect-uris`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse, RegisteredAs, Stop};
use mcp_test_core::transport::generated_id::generate_id;
use reqwest::Url;

use super::discovery::Metadata;
use super::good_server;
use super::grant::Grant;
use super::preparation::{DynamicClient, client, register, usable_metadata};
use super::wrong_answers::redirects_anywhere;
use super::wrong_grants::{demands_the_port, redirects_alike, redirects_unknown_clients};
use crate::scenarios::prelude::*;

const MATCHED: &str = "redirect-uri-matched";
const UNKNOWN: &str = "redirect-uri-unknown-client";
const PORT: &str = "redirect-uri-loopback-port";

/// The redirect URI of a client that is a web application. Nothing is sent there.
const WEB: &str = "https://client.example.com/callback";

scenario! {
    /// Redirect URIs are compared with the registered ones as text.
    ///
    /// Whoever can have codes sent to a URI that only looks like a registered one gets the codes of other people's users. So
    /// authorization requests are made with a longer path, with a query, in other letters, and with other hosts, users and
    /// schemes; with an `https` URI, too, where a client can register itself. None of them may be redirected there, with or
    /// without an error. The port of a loopback address is an exception, since programs take any free one (RFC 8252, section
    /// 7.3): there a server that refuses another port is warned of. An unknown client has no redirect URI, so its user must
    /// not be redirected at all.
    ///
    /// Nobody has to consent to any of it. Beforehand the registered URI is tried: a refusal counts only if that one is not
    /// refused. A server that shows a page first is not judged by what it would refuse afterwards.
    Authorization "authorization-redirect-uris": "Redirect URIs are compared as text",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    checks: [
        check!(MATCHED, "The server does not redirect to a URI that differs from the registered one",
            [AUTH_REDIRECT_EXACT_MATCH, AUTH_REDIRECT_AS_NO_OPEN_REDIRECT]),
        check!(UNKNOWN, "The server does not redirect the user of a client that it does not know",
            [AUTH_REDIRECT_AS_NO_OPEN_REDIRECT]),
        check!(PORT, "The server takes any port in a redirect URI with a loopback address",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER])
            .only_warns("it harms only programs that cannot choose their port"),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    let listener = ctx.listen().await?;
    let redirect_uri = listener.uri().to_owned();
    listener.end().await;
    let own = client(ctx, &found, &redirect_uri).await?;
    judge_unknown(ctx, &found, &redirect_uri).await?;
    let mut matching = Matching::default();
    matching.compare(ctx, &found, &own, &redirect_uri).await?;
    if let Ok(web) = register(ctx, &found, &[WEB]).await?
        && web.may_redirect_to(WEB)
    {
        matching.compare(ctx, &found, &web.registered, WEB).await?;
    }
    matching.judge(ctx);
    match register(ctx, &found, &[&redirect_uri]).await? {
        Ok(program) => judge_port(ctx, &found, &program, &redirect_uri).await?,
        Err(reason) => {
            ctx.check(PORT)
                .skip(format!("it takes a client that has just registered, but {reason}"));
        }
    }
    Ok(())
}

/// The answer to an authorization request.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// It redirects to the URI of the request.
    Redirected,
    Refused,
    /// Something else, such as a page to log in.
    Other(u16),
}

/// Requests the authorization of a client, with this redirect URI.
async fn request(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    client: &RegisteredAs,
    redirect_uri: &str,
) -> Result<(Seen, AuthorizationResponse), Stop> {
    let grant = Grant::new(ctx, client.clone(), found, redirect_uri)?;
    let url = grant.url(ctx, &grant.request())?;
    let response = ctx.get_page(&url).await?;
    let seen = match response.redirect() {
        // Also with an error: whoever sends the user must not decide where they go.
        Some(location) if location.starts_with(redirect_uri) => Seen::Redirected,
        _ if (400..500).contains(&response.status) => Seen::Refused,
        _ => Seen::Other(response.status),
    };
    Ok((seen, response))
}

/// What the comparisons of redirect URIs have shown.
#[derive(Default)]
struct Matching {
    wrong: Vec<String>,
    evidence: Vec<Seq>,
    refused: Vec<&'static str>,
    unseen: Option<u16>,
    /// Why nothing could be compared.
    untried: Option<String>,
}

impl Matching {
    /// Tries everything that differs from the registered URI of a client.
    async fn compare(
        &mut self,
        ctx: &mut AuthorizationCtx,
        found: &Metadata,
        client: &RegisteredAs,
        registered: &str,
    ) -> Result<(), Stop> {
        let (seen, response) = request(ctx, found, client, registered).await?;
        if matches!(seen, Seen::Refused) {
            let answer = format!("HTTP {}{}", response.status, response.error());
            self.untried = Some(words::into_inert(format!(
                "not seen: the server refuses the registered redirect URI, too: {answer}"
            )));
            return Ok(());
        }
        for (what, other) in variations(registered) {
            let (seen, response) = request(ctx, found, client, &other).await?;
            match seen {
                Seen::Redirected => {
                    self.wrong.push(format!("`{other}` ({what})"));
                    self.evidence.extend(response.evidence());
                }
                Seen::Refused => self.refused.push(what),
                Seen::Other(status) => self.unseen = Some(status),
            }
        }
        Ok(())
    }

    fn judge(self, ctx: &mut AuthorizationCtx) {
        let check = ctx.check(MATCHED);
        if !self.wrong.is_empty() {
            let finding = Finding::peer("the server redirects to URIs that are not registered")
                .requires(Requirement::AUTH_REDIRECT_EXACT_MATCH)
                .requires(Requirement::AUTH_REDIRECT_AS_NO_OPEN_REDIRECT)
                .expected("no redirect to any URI but the registered one")
                .got(format!("redirects to {}", words::list(self.wrong, "and")))
                .evidence_all(self.evidence);
            check.fail(finding);
        } else if let Some(status) = self.unseen {
            check.info(format!(
                "not seen: the server answers with HTTP {status} before it says whether it refuses the request"
            ));
        } else if self.refused.is_empty() {
            check.skip(self.untried.unwrap_or_default());
        } else {
            check.pass();
        }
    }
}

/// URIs that differ from a registered one, each in one way.
fn variations(registered: &str) -> Vec<(&'static str, String)> {
    let mut variations = vec![
        ("a longer path", format!("{registered}/more")),
        ("a path that begins in the same way", format!("{registered}more")),
        ("a query", format!("{registered}?more=1")),
        ("other letters", registered.replace("/callback", "/Callback")),
        ("another host", "https://other.example.net/callback".to_owned()),
    ];
    let Ok(url) = Url::parse(registered) else { return variations };
    let rest = registered.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let scheme = url.scheme();
    variations.push((
        "another host, with the registered one as its user",
        format!("{scheme}://{authority}@other.example.net{path}"),
    ));
    if scheme == "https" {
        variations.extend([
            ("another port", format!("https://{authority}:8443{path}")),
            ("a host within the registered one", format!("https://other.{authority}{path}")),
            (
                "a host that begins in the same way",
                format!("https://{authority}.example.net{path}"),
            ),
            ("another scheme", format!("http://{authority}{path}")),
        ]);
    }
    variations
}

async fn judge_unknown(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    redirect_uri: &str,
) -> Result<(), Stop> {
    let nobody = RegisteredAs { id: generate_id(), secret: None };
    let (seen, response) = request(ctx, found, &nobody, redirect_uri).await?;
    let check = ctx.check(UNKNOWN);
    match seen {
        Seen::Redirected => check.fail(
            Finding::peer("the server redirects the user of a client that it does not know")
                .requires(Requirement::AUTH_REDIRECT_AS_NO_OPEN_REDIRECT)
                .expected("an error page")
                .got(format!("HTTP {} to `{redirect_uri}`", response.status))
                .evidence_all(response.evidence()),
        ),
        Seen::Refused => check.pass(),
        Seen::Other(status) => check.info(format!(
            "not seen: the server answers with HTTP {status} before it says whether it knows the client"
        )),
    };
    Ok(())
}

/// Tries another port than the registered one.
async fn judge_port(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    program: &DynamicClient,
    redirect_uri: &str,
) -> Result<(), Stop> {
    let other = other_port(redirect_uri);
    let (registered, _) = request(ctx, found, &program.registered, redirect_uri).await?;
    let (seen, response) = request(ctx, found, &program.registered, &other).await?;
    let check = ctx.check(PORT);
    match (registered, seen) {
        (Seen::Refused, _) => check.skip("the server refuses the registered redirect URI, too"),
        (_, Seen::Redirected) => check.pass(),
        (_, Seen::Refused) => check.fail(
            Finding::peer(
                "the server takes no other port in a redirect URI with a loopback address",
            )
            .requires(Requirement::AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER)
            .expected(format!("`{other}` to be taken, since `{redirect_uri}` is registered"))
            .got(words::into_inert(format!("HTTP {}{}", response.status, response.error())))
            .hint("clients on the user's machine listen on any free port (RFC 8252, section 7.3)")
            .evidence_all(response.evidence()),
        ),
        (_, Seen::Other(status)) => {
            check.info(format!("not seen: the server answers with HTTP {status}"))
        }
    };
    Ok(())
}

/// The same URI with the next port.
fn other_port(uri: &str) -> String {
    let Ok(mut url) = Url::parse(uri) else { return uri.to_owned() };
    let port = url.port().unwrap_or(80);
    let next = port.checked_add(1).unwrap_or(port - 1);
    // It has a host, so that it can have a port.
    url.set_port(Some(next)).ok();
    url.into()
}

proofs! {
    passes on good_server();
    catches "redirect-uri-matched" on redirects_anywhere();
    catches "redirect-uri-matched" on redirects_alike("/more");
    catches "redirect-uri-matched" on redirects_alike("?more=1");
    catches "redirect-uri-matched" on redirects_alike("/Callback");
    catches "redirect-uri-matched" on redirects_alike(":8443/");
    catches "redirect-uri-matched" on redirects_alike("@other.example.net");
    catches "redirect-uri-unknown-client" on redirects_unknown_clients();
    warns "redirect-uri-loopback-port" on demands_the_port();
}
