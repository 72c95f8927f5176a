//! Texts that are known by their shape: points in time, UUIDs, ports of this machine.

/// Something found in a text, from byte to byte.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kind: &'static str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Finds the first one.
pub(super) fn find(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    // Only at the start of a word: a UUID inside a longer token is a part of that token.
    let starts = |at: usize| at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    (0..bytes.len()).filter(|at| starts(*at)).find_map(|at| {
        let rest = &bytes[at..];
        let found =
            |kind, from: usize, length| Found { kind, start: at + from, end: at + from + length };
        let time = time(rest).map(|length| found("time", 0, length));
        let uuid = || uuid(rest).map(|length| found("uuid", 0, length));
        let port = || port(rest).map(|(from, length)| found("port", from, length));
        time.or_else(uuid).or_else(port)
    })
}

/// Whether the text begins like this shape, where `0` stands for a digit, `x` for a hexadecimal digit.
fn has_shape(text: &[u8], shape: &str) -> bool {
    text.len() >= shape.len()
        && shape.bytes().zip(text).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            other => other == *byte,
        })
}

/// A date with a time of day. A date alone is not taken: revisions of the protocol look like that.
fn time(text: &[u8]) -> Option<usize> {
    let shapes = ["0000-00-00T00:00:00", "0000-00-00 00:00:00"];
    let mut length = shapes.iter().find(|shape| has_shape(text, shape))?.len();
    if let [b'.' | b',', digits @ ..] = &text[length..] {
        let fraction = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    let zones = ["Z", "+00:00", "-00:00", "+0000", "-0000"];
    let zone = zones.iter().find(|zone| has_shape(&text[length..], zone));
    Some(length + zone.map_or(0, |zone| zone.len()))
}

fn uuid(text: &[u8]) -> Option<usize> {
    let shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    let ends = !text.get(shape.len()).is_some_and(u8::is_ascii_alphanumeric);
    (has_shape(text, shape) && ends).then_some(shape.len())
}

/// Where the port of a local address starts, and its length.
fn port(text: &[u8]) -> Option<(usize, usize)> {
    let hosts = ["localhost:", "127.0.0.1:", "0.0.0.0:", "[::1]:", "[::]:"];
    let host = hosts.iter().find(|host| text.starts_with(host.as_bytes()))?.len();
    let digits = text[host..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // The greatest port, 65535, has five digits.
    (1..=5).contains(&digits).then_some((host, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<(&'static str, &str)> {
        find(text).map(|found| (found.kind, &text[found.start..found.end]))
    }

    #[test]
    fn shapes_are_found_whole() {
        assert_eq!(
            first("on 2026-11-21T21:37:43.473Z."),
            Some(("time", "2026-11-21T21:37:43.473Z"))
        );
        assert_eq!(first("2026-11-21 21:37:43+02:00"), Some(("time", "2026-11-21 21:37:43+02:00")));
        assert_eq!(first("2026-11-21T21:37:43."), Some(("time", "2026-11-21T21:37:43")));
        assert_eq!(first("é[::1]:80/"), Some(("port", "80")));
        assert_eq!(
            first("id=67E55044-10b1-426f-9247-bb680e5fe0c8"),
            Some(("uuid", "67E55044-10b1-426f-9247-bb680e5fe0c8"))
        );
    }

    #[test]
    fn what_only_resembles_is_left() {
        for text in [
            "2025-11-25",
            "2025-11-25T",
            "example.com:443",
            "mylocalhost:1",
            "localhost:",
            "a67e55044-10b1-426f-9247-bb680e5fe0c8",
            "",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }
}
