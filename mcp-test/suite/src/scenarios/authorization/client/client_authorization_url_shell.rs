//! `client-authorization-url-shell`.

use mcp_test_core::oauth::scripted::{Behavior, ProtectedResource, ScriptedServer};

use super::flow::judge_flow;
use super::opened_urls::{browser, opened_urls, shown};
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization endpoint in the metadata is a URL with a command for a shell in its path, and with backticks in its query, which no
    /// URL may have. The client must not open it as it is, and not by a command of a shell; that it fails is right.
    ///
    /// The command would create an empty file in a folder of ours.
    Client "client-authorization-url-shell": "No part of an authorization URL gets to a shell",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(SANITIZES, "The client does not open an authorization URL with characters for a shell as it is",
            [AUTH_URL_SANITIZED]),
        check!(NO_SHELL, "The client does not open a URL by a command of a shell, if it opens it",
            [AUTH_URL_NO_SHELL]).conditional(),
    ],
}

const SANITIZES: &str = "client-sanitizes-authorization-url";
const NO_SHELL: &str = "client-opens-url-without-shell";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let browser = browser(test)?;
    let mark = browser.map_or_else(|| "/dev/null".to_owned(), |browser| browser.mark());
    let facts = facts(test);
    // Programs keep the path as it is, but some encode a query once more. `$IFS` is a space to a shell.
    let authorization_suffix = Some(format!("/$(touch$IFS{mark})?next=``"));
    let behavior = Behavior { authorization_suffix, ..Behavior::default() };
    let server = ScriptedServer::start(behavior, &facts)?;
    Ok(server_behind(test, ProtectedResource::new(&facts, vec![server])))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let opened = opened_urls(judging, &flow);
    let is_executed = judging.browser().is_some_and(|browser| browser.is_marked());
    let evidence = || flow.found_server_metadata().map(|found| found.seq);
    if is_executed {
        judging.check(NO_SHELL).fail(
            Finding::peer("the client opens a URL by a command of a shell")
                .expected("the URL as an argument of a program, whatever is in it")
                .got("the command in the URL was executed")
                .evidence_all(evidence()),
        );
    }
    let row = judging.check(SANITIZES);
    let urls = match opened {
        Ok(urls) => urls,
        Err(reason) => {
            row.skip(reason);
            return Ok(());
        }
    };
    let is_wrong = |url: &&String| url.contains('`');
    match urls.iter().find(is_wrong) {
        Some(url) => row.fail(
            Finding::peer("the client opens an authorization URL with characters for a shell")
                .expected("no URL opened, or these characters in percent-encoding")
                .got(format!("the backticks as they are, in `{}…`", shown(url).replace('`', "'")))
                .evidence_all(evidence()),
        ),
        None if is_executed => row.fail(
            Finding::peer("the client gives an authorization URL to a shell as it is")
                .expected("no URL opened, or the characters for a shell in percent-encoding")
                .got("the command in the URL was executed")
                .evidence_all(evidence()),
        ),
        None if urls.is_empty() && !flow.authorizations.is_empty() => {
            row.skip("the client has asked the authorization endpoint by itself, without a browser")
        }
        None => row.pass(),
    };
    if !is_executed && !urls.is_empty() {
        judging.check(NO_SHELL).pass();
    }
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-sanitizes-authorization-url" by misbehavior(Misbehavior::OpensAnyUrl);
    catches "client-opens-url-without-shell" by misbehavior(Misbehavior::OpensInShell);
}
