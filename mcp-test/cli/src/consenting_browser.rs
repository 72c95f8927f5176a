//! What a client under test starts instead of a browser: this program, which opens the URL as a browser does whose user has signed in
//! already and consents.
//!
//! The authorization servers of the scenarios redirect at once, so that nothing has to be shown. Only what listens on this machine gets a
//! request.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::oauth::redirect_uri::is_this_machine;
use mcp_test_core::process::CONSENTS;
use mcp_test_core::transport::{FetchError, HttpRequest, PlainResponse, request_once};
use reqwest::Url;

use super::execute;

/// How many redirects are followed: one leads back to the client, which may have more.
const REDIRECTS: usize = 5;
/// The bytes of the largest page.
const LARGEST: usize = 1024 * 1024;
/// How long a page may take.
const TIME: Duration = Duration::from_secs(10);
/// How long it takes from one attempt to connect to the next.
const BETWEEN: Duration = Duration::from_millis(50);

/// Takes the place of a browser, if the arguments of the program say so.
pub(super) fn serve_as_browser(args: &[OsString]) -> Option<ExitCode> {
    let [_, first, args @ ..] = args else { return None };
    if first != CONSENTS {
        return None;
    }
    // Beside a URL, such programs get options and commands.
    let url = args.iter().find_map(|arg| Url::parse(arg.to_str()?).ok());
    if let (Some(url), Ok(runtime)) = (url, execute::runtime()) {
        runtime.block_on(open(url));
    }
    Some(ExitCode::SUCCESS)
}

async fn open(mut url: Url) {
    for _ in 0..=REDIRECTS {
        if url.scheme() != "http" || !url.host_str().is_some_and(is_this_machine) {
            return;
        }
        // The client waits for the redirect, and reports what it misses.
        let Ok(response) = get(&url).await else { return };
        let Some(next) = response.redirect(url.as_str()) else { return };
        url = next;
    }
}

/// Requests a page, as soon as something listens there: some clients listen for the redirect only after they have opened the browser, since
/// a person takes longer.
async fn get(url: &Url) -> Result<PlainResponse, FetchError> {
    let deadline = Deadline::after(TIME);
    let request = HttpRequest::get().header("Accept", "text/html");
    loop {
        let response = request_once(url.as_str(), &request, LARGEST, deadline).await;
        if !matches!(&response, Err(why) if why.is_unreachable()) || deadline.has_passed() {
            return response;
        }
        clock::quiet(BETWEEN).await;
    }
}
