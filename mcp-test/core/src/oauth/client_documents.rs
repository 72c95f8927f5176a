//! Clients that a metadata document describes, whose URL is their id: fetched within bounds, and kept as long as HTTP allows.
//!
//! <https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/>

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Url;

use super::client::OAuthClient;
use super::client_description;
use super::internal_address::is_internal;
use super::redirect_uri::is_this_machine;
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::transport::{HttpRequest, PlainResponse, request_once};
use crate::wire::MediaType;

/// The bytes of the largest document, as the draft recommends.
const LARGEST: usize = 5 * 1024;
/// The bytes of the longest URL.
const LONGEST_URL: usize = 1024;
/// How long a document may take to arrive.
const TIME: Duration = Duration::from_secs(5);
/// How many documents are kept; the oldest are forgotten.
const MOST_KEPT: usize = 100;
/// The longest time that a document is kept, whatever its server says.
const LONGEST_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The clients whose documents were fetched.
pub(super) struct ClientDocuments {
    policy: DocumentPolicy,
    kept: Mutex<VecDeque<KeptDocument>>,
}

/// Which documents are fetched, and how. The default is right; a proof makes one part of it wrong.
#[derive(Debug, Clone, Copy)]
pub struct DocumentPolicy {
    /// Whether any are fetched.
    #[doc(hidden)]
    pub fetches: bool,
    /// Whether those of other machines are fetched, which whoever names a client decides.
    #[doc(hidden)]
    pub is_remote: bool,
    #[doc(hidden)]
    pub keeping: Keeping,
    #[doc(hidden)]
    pub follows_redirects: bool,
}

/// How long documents are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// As long as HTTP allows.
    ByHeaders,
    Never,
    Always,
}

struct KeptDocument {
    client: OAuthClient,
    until: Deadline,
}

impl Default for DocumentPolicy {
    fn default() -> Self {
        Self {
            fetches: true,
            is_remote: false,
            keeping: Keeping::ByHeaders,
            follows_redirects: false,
        }
    }
}

impl ClientDocuments {
    pub(super) fn new(policy: DocumentPolicy) -> Self {
        Self { policy, kept: Mutex::default() }
    }

    /// Whether the id of a client may be the URL of its document.
    pub(super) const fn are_fetched(&self) -> bool {
        self.policy.fetches
    }

    /// The client whose document is at this URL, if the id is one.
    ///
    /// # Errors
    ///
    /// Why the client is not found, although its id is a URL.
    pub(super) async fn find(&self, id: &str) -> Result<Option<OAuthClient>, &'static str> {
        if !self.policy.fetches || !(id.starts_with("https://") || id.starts_with("http://")) {
            return Ok(None);
        }
        if let Some(client) = self.kept(id) {
            return Ok(Some(client));
        }
        let url = document_url(id)?;
        if !self.policy.is_remote && !url.host_str().is_some_and(is_this_machine) {
            return Err("metadata documents of other machines are not fetched");
        }
        check_addresses(&url).await?;
        let response = self.fetch(&url).await?;
        let client = read(id, &response)?;
        let age = match self.policy.keeping {
            Keeping::ByHeaders => freshness(&response),
            Keeping::Never => None,
            Keeping::Always => Some(LONGEST_KEPT),
        };
        if let Some(age) = age {
            self.keep(client.clone(), age);
        }
        Ok(Some(client))
    }

    async fn fetch(&self, url: &Url) -> Result<PlainResponse, &'static str> {
        let request = HttpRequest::get().header("Accept", "application/json");
        let deadline = Deadline::after(TIME);
        let failed = "the metadata document of the client cannot be fetched";
        let get = async |url: &str| {
            request_once(url, &request, LARGEST, deadline).await.map_err(|_| failed)
        };
        let response = get(url.as_str()).await?;
        match header(&response, "location") {
            Some(location) if self.policy.follows_redirects => {
                let target = url.join(location).map_err(|_| failed)?;
                get(target.as_str()).await
            }
            _ => Ok(response),
        }
    }

    fn kept(&self, id: &str) -> Option<OAuthClient> {
        let mut kept = self.lock();
        kept.retain(|document| !document.until.has_passed());
        kept.iter().find(|document| document.client.id == id).map(|found| found.client.clone())
    }

    fn keep(&self, client: OAuthClient, age: Duration) {
        let mut kept = self.lock();
        if kept.len() == MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back(KeptDocument { client, until: Deadline::after(age) });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<KeptDocument>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The URL of a document: `https`, or `http` to this machine, with a path, and written as it is fetched.
fn document_url(id: &str) -> Result<Url, &'static str> {
    let url = Url::parse(id).map_err(|_| "`client_id` is not a URL")?;
    let is_secure = url.scheme() == "https" || url.host_str().is_some_and(is_this_machine);
    let is_plain = url.username().is_empty() && url.password().is_none();
    // A parser takes out `.` and `..`, which the draft forbids, so that the text differs then.
    let is_literal = url.as_str() == id && url.fragment().is_none() && id.len() <= LONGEST_URL;
    match is_secure && is_plain && is_literal && url.path() != "/" {
        true => Ok(url),
        false => Err("`client_id` must be an `https` URL with a path, in its canonical form"),
    }
}

/// Refuses hosts that only this machine's network reaches: whoever names a client must not see what is there.
///
/// This machine is the exception, where the clients of a test are; a host name that leads here is not.
async fn check_addresses(url: &Url) -> Result<(), &'static str> {
    let host = url.host_str().unwrap_or_default();
    if is_this_machine(host) {
        return Ok(());
    }
    let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let port = url.port_or_known_default().unwrap_or_default();
    let found = clock::within(Deadline::after(TIME), tokio::net::lookup_host((name, port))).await;
    let Ok(Ok(addresses)) = found else {
        return Err("the host of the metadata document is not found");
    };
    match addresses.into_iter().any(|address| is_internal(address.ip())) {
        true => Err("the host of the metadata document has an internal address"),
        false => Ok(()),
    }
}

/// The client that a document describes.
fn read(id: &str, response: &PlainResponse) -> Result<OAuthClient, &'static str> {
    let kind = header(response, "content-type").unwrap_or_default();
    // A redirect is not a document: it could lead anywhere.
    if response.status != 200 || MediaType::of(kind) != MediaType::Json {
        return Err("the metadata document of the client is not JSON with status 200");
    }
    let document = Value::parse(&response.body).map(|document| document.value);
    let Some(document) = document.ok().filter(Value::is_object) else {
        return Err("the metadata document of the client is not a JSON object");
    };
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    if text("client_id") != Some(id) {
        return Err("`client_id` of the metadata document is not its URL");
    }
    if text("client_name").is_none_or(str::is_empty) {
        return Err("the metadata document of the client has no `client_name`");
    }
    // Whoever can read the document would know it.
    if document.get("client_secret").is_some() {
        return Err("the metadata document of the client has a secret");
    }
    client_description::client_from_document(id, &document).map_err(|error| error.description)
}

/// How long HTTP allows to keep a response; `None` if it does not.
fn freshness(response: &PlainResponse) -> Option<Duration> {
    let control = header(response, "cache-control")?.to_ascii_lowercase();
    let mut directives = control.split(',').map(str::trim);
    if directives.clone().any(|it| it == "no-store" || it == "no-cache") {
        return None;
    }
    let age = directives.find_map(|it| it.strip_prefix("max-age="))?;
    let age = Duration::from_secs(age.trim_matches('"').parse().ok()?);
    Some(age.min(LONGEST_KEPT)).filter(|age| !age.is_zero())
}

fn header<'a>(response: &'a PlainResponse, name: &str) -> Option<&'a str> {
    let found = response.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_urls_are_those_of_documents() {
        for id in [
            "https://app.example/client.json",
            "http://127.0.0.1:4000/client",
            "http://localhost/c",
        ] {
            assert!(document_url(id).is_ok(), "{id}");
        }
        for id in [
            "https://app.example/",
            "https://app.example",
            "http://app.example/client.json",
            "https://user@app.example/client.json",
            "https://app.example/client.json#part",
            "https://app.example/a/../client.json",
            "https://APP.example/client.json",
            &format!("https://app.example/{}", "a".repeat(1024)),
        ] {
            assert!(document_url(id).is_err(), "{id}");
        }
    }

    #[test]
    fn internal_addresses_are_known() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "ff02::1",
        ] {
            assert!(is_internal(address.parse().unwrap()), "{address}");
        }
        for address in ["93.184.216.34", "100.128.0.1", "2606:4700::1111"] {
            assert!(!is_internal(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_document_is_kept_as_long_as_its_headers_say() {
        let with = |value: &str| {
            let headers = vec![("Cache-Control".to_owned(), value.to_owned())];
            freshness(&PlainResponse { status: 200, headers, body: Default::default() })
        };
        assert_eq!(with("public, max-age=60"), Some(Duration::from_secs(60)));
        assert_eq!(with("max-age=99999999"), Some(LONGEST_KEPT));
        for value in ["no-store", "max-age=60, no-store", "max-age=0", "max-age=x", "public"] {
            assert_eq!(with(value), None, "{value}");
        }
    }
}
