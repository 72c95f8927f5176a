//! What the scenarios have in common that look at which URLs a client opens in a browser.
//!
//! The client finds a program of ours instead of a browser, which writes down what it is given. Whether a client has shown a URL to its
//! user, or asked about it, is not seen.

use mcp_test_core::oauth::scripted::{Behavior, StatedEndpoints};
use mcp_test_core::process::StandInBrowser;

use super::flow::{Flow, Step, judge_flow};
use super::served::protected;
use crate::scenarios::prelude::*;

/// How many characters of a URL are shown.
const SHOWN: usize = 80;

/// A protected server whose authorization server has this authorization endpoint.
pub(super) fn serve_with_endpoint(test: &ClientTest, endpoint: String) -> Result<Server, Finding> {
    let stated_endpoints =
        StatedEndpoints { authorization: Some(endpoint), ..StatedEndpoints::default() };
    protected(test, Behavior { stated_endpoints, ..Behavior::default() }, |resource| resource)
}

/// The program that the client finds instead of a browser; `None` on a system that has no such program.
pub(super) fn browser(test: &ClientTest) -> Result<Option<Arc<StandInBrowser>>, Finding> {
    match test.replace_browser() {
        Ok(browser) => Ok(Some(browser)),
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => Ok(None),
        Err(error) => {
            let finding = Finding::environment("cannot create a program in place of a browser");
            Err(finding.got(error.to_string()))
        }
    }
}

/// The URLs that the client has opened; the error is why that is not known.
pub(super) fn opened_urls(judging: &mut Judging, flow: &Flow) -> Result<Vec<String>, String> {
    let Some(browser) = judging.browser() else {
        return Err(
            "what the client opens is seen only if it is a program that mcp-test starts, on Unix"
                .to_owned(),
        );
    };
    if flow.found_server_metadata().is_none() {
        return Err(Step::ServerMetadata.not_taken(flow).headline);
    }
    // Beside URLs, such programs get options and commands.
    let opened = browser.opened().into_iter().filter(|argument| argument.contains(':'));
    let urls: Vec<String> = opened.collect();
    if !urls.is_empty() {
        // It waits for its user.
        judging.tolerate_failed_exit();
    }
    Ok(urls)
}

/// Makes the check that the client has opened no URL with this scheme.
pub(super) fn judge_scheme(
    judging: &mut Judging,
    check: &str,
    scheme: &str,
) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let opened = opened_urls(judging, &flow);
    let row = judging.check(check);
    let urls = match opened {
        Ok(urls) => urls,
        Err(reason) => {
            row.skip(reason);
            return Ok(());
        }
    };
    let wrong = urls.iter().find(|url| url.to_ascii_lowercase().starts_with(scheme));
    row.judge(wrong.map_or(Ok(()), |url| {
        Err(Finding::peer("the client opens an authorization URL whose scheme is dangerous")
            .expected("no URL opened: only those with `https`, or `http` on this machine, may be")
            .got(format!("`{}`", shown(url)))
            .evidence_all(flow.found_server_metadata().map(|found| found.seq)))
    }));
    Ok(())
}

/// The beginning of a URL, for people: the parameters of the client follow later.
pub(super) fn shown(url: &str) -> String {
    url.chars().take(SHOWN).collect()
}
