//! How the headers of a response describe its body.

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::expect::words::quoted;

cites! {
    MCP_TEST_HTTP_CODING_FITS, MCP_TEST_HTTP_ONE_LENGTH,
}

/// The coding of a body, such as `Content-Encoding: gzip`; `None` if it is sent as it is.
pub(super) fn coding_in_headers(headers: &[(String, String)]) -> Option<String> {
    let coded = |(name, value): &(String, String)| {
        let plain = match &*name.to_ascii_lowercase() {
            "content-encoding" => "identity",
            "transfer-encoding" => "chunked",
            _ => return None,
        };
        let is_plain = |it: &str| {
            let it = it.trim();
            it.is_empty() || it.eq_ignore_ascii_case(plain)
        };
        let is_coded = !value.split(',').all(is_plain);
        is_coded.then(|| format!("{name}: {}", quoted(value.as_bytes())))
    };
    headers.iter().find_map(coded)
}

impl EnvelopeJudge {
    /// A message that is plain text although the headers of its response name a coding.
    pub(super) fn wrong_coding(&mut self, event: JudgedEvent<'_>) {
        let Some(coding) = self.exchange(event).and_then(|exchange| exchange.coding.take()) else {
            return;
        };
        let finding =
            Finding::peer("the body of a response does not have the coding that a header names")
                .expected("a body in that coding, or no such header")
                .got(format!("{coding}, and plain JSON"))
                .hint("a client that decodes it fails");
        self.find(event, finding, MCP_TEST_HTTP_CODING_FITS);
    }

    /// A response that announces its length in two ways.
    pub(super) fn two_lengths(&mut self, event: JudgedEvent<'_>, headers: &[(String, String)]) {
        let value = |wanted: &str| {
            let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| quoted(value.as_bytes()))
        };
        let (Some(length), Some(encoding)) = (value("content-length"), value("transfer-encoding"))
        else {
            return;
        };
        let finding = Finding::peer("a response has both Content-Length and Transfer-Encoding")
            .expected("one of the two headers")
            .got(format!("Content-Length {length} and Transfer-Encoding {encoding}"))
            .hint("programs that believe different headers see different messages");
        self.find(event, finding, MCP_TEST_HTTP_ONE_LENGTH);
    }
}
