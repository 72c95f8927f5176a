//! Reads the headers of a request: the media types that it sends and accepts.

use http::{HeaderMap, header};

use crate::wire::{MediaType, essence};

/// The media type of a message.
pub(super) const JSON: &str = "application/json";
/// The media type of a stream of messages.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The value of a header that occurs exactly once and is text.
pub(super) fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    // Of several values, readers may take any; a security check must not depend on which.
    values.next().is_none().then_some(value)
}

/// Whether the body is declared as JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    value(headers, header::CONTENT_TYPE.as_str())
        .is_some_and(|kind| MediaType::of(kind) == MediaType::Json)
}

/// Whether `Accept` lists a media type, or a range that includes it, and does not exclude it with `q=0`.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let listed = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = listed.flat_map(|list| list.split(','));
    let fitting = ranges.filter_map(|range| Some((precision(essence(range), wanted)?, range)));
    // Of several ranges the most precise one applies; otherwise `q` is a preference (RFC 9110, section 12.5.1).
    let precise = fitting.max_by_key(|(precision, _)| *precision);
    precise.is_some_and(|(_, range)| !is_excluded(range))
}

/// How precisely a media range names the type, if it includes it.
fn precision(range: &str, wanted: &str) -> Option<u8> {
    let family = wanted.split_once('/').map_or(wanted, |(family, _)| family);
    if range.eq_ignore_ascii_case(wanted) {
        return Some(2);
    }
    match range.strip_suffix("/*") {
        Some("*") => Some(0),
        Some(range) => range.eq_ignore_ascii_case(family).then_some(1),
        None => None,
    }
}

/// Whether a media range has the weight zero, "not acceptable".
fn is_excluded(range: &str) -> bool {
    range.split(';').skip(1).any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0_f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn accept_lists_types_and_ranges() {
        for accept in
            ["application/json, text/event-stream", "*/*", "text/*;q=0.5, Application/JSON"]
        {
            let headers = headers("accept", accept);
            assert!(accepts(&headers, JSON) && accepts(&headers, EVENT_STREAM), "{accept}");
        }
        let only_json = headers("accept", "application/json");
        assert!(accepts(&only_json, JSON) && !accepts(&only_json, EVENT_STREAM));
        assert!(!accepts(&HeaderMap::new(), JSON));
    }

    #[test]
    fn what_has_the_weight_zero_is_not_accepted() {
        let accepted = |accept: &str| {
            let headers = headers("accept", accept);
            (accepts(&headers, JSON), accepts(&headers, EVENT_STREAM))
        };
        assert_eq!(accepted("application/json;q=0, text/event-stream"), (false, true));
        assert_eq!(accepted("application/json; Q = 0.000, */*"), (false, true));
        assert_eq!(accepted("*/*;q=0, text/event-stream"), (false, true));
        assert_eq!(accepted("text/*;q=0, text/event-stream;q=0.1, */*"), (true, true));
        assert_eq!(accepted("application/json;q=0.001, text/event-stream;q=x"), (true, true));
    }

    #[test]
    fn json_may_have_a_charset() {
        assert!(is_json(&headers("content-type", "application/json; charset=utf-8")));
        assert!(!is_json(&headers("content-type", "text/plain")));
        assert!(!is_json(&HeaderMap::new()));
    }
}
