//! Texts of the formats of JSON Schema, and texts that do not have the format.
//!
//! The valid ones are plain: each is one that every implementation of the format accepts.

use proptest::prelude::{Rng as _, RngExt as _};
use proptest::test_runner::TestRng;

/// Texts that have a format, and texts that do not.
pub(super) struct FormatTexts {
    pub(super) name: &'static str,
    pub(super) valid: &'static [&'static str],
    pub(super) invalid: &'static [&'static str],
}

pub(super) const FORMATS: &[FormatTexts] = &[
    FormatTexts {
        name: "date-time",
        valid: &["2024-02-29T12:00:00Z", "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00"],
        invalid: &["2024-02-30T12:00:00Z", "2024-02-29 noon", "x"],
    },
    FormatTexts {
        name: "date",
        valid: &["2024-02-29", "1970-01-01", "9999-12-31"],
        invalid: &["2023-02-29", "29.02.2024", "x"],
    },
    FormatTexts {
        name: "time",
        valid: &["12:00:00Z", "23:59:59.999Z", "00:00:00+05:30"],
        invalid: &["25:00:00Z", "noon"],
    },
    FormatTexts {
        name: "duration",
        valid: &["PT1S", "P1DT12H", "P2W"],
        invalid: &["1 second", "P"],
    },
    FormatTexts {
        name: "email",
        valid: &["a@example.com", "first.last+tag@sub.example.org"],
        invalid: &["example.com", "@", "a@"],
    },
    FormatTexts { name: "idn-email", valid: &["a@example.com", "ü@example.com"], invalid: &[] },
    FormatTexts {
        name: "hostname",
        valid: &["example.com", "a", "xn--bcher-kva.example"],
        invalid: &["-a.example", "a b"],
    },
    FormatTexts { name: "idn-hostname", valid: &["example.com", "bücher.example"], invalid: &[] },
    FormatTexts {
        name: "ipv4",
        valid: &["127.0.0.1", "0.0.0.0", "255.255.255.255"],
        invalid: &["256.0.0.1", "1.2.3"],
    },
    FormatTexts {
        name: "ipv6",
        valid: &["::1", "::", "2001:db8:0:0:0:0:0:1", "::ffff:192.0.2.1"],
        invalid: &["1.2.3.4", ":::1"],
    },
    FormatTexts {
        name: "uri",
        valid: &["https://example.com/", "urn:example:a", "http://example.com:8080/a%20b?c=d#e"],
        invalid: &["example.com", "https://exa mple.com/", "/relative"],
    },
    FormatTexts { name: "url", valid: &["https://example.com/"], invalid: &["example.com"] },
    FormatTexts {
        name: "uri-reference",
        valid: &["/a", "https://example.com/", "?b#c"],
        invalid: &["\\\\host\\a"],
    },
    FormatTexts {
        name: "iri",
        valid: &["https://example.com/", "https://example.com/ü"],
        invalid: &["example"],
    },
    FormatTexts {
        name: "iri-reference",
        valid: &["/ü", "https://example.com/"],
        invalid: &["\\\\host\\a"],
    },
    FormatTexts {
        name: "uri-template",
        valid: &["https://example.com/{id}", "/a{?b}"],
        invalid: &["https://example.com/{id"],
    },
    FormatTexts {
        name: "uuid",
        valid: &["123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"],
        invalid: &["123e4567-e89b-42d3-a456-42661417400", "x"],
    },
    FormatTexts { name: "json-pointer", valid: &["/a/0", "", "/a~1b"], invalid: &["a/0", "/~2"] },
    FormatTexts {
        name: "relative-json-pointer",
        valid: &["0", "1/a", "2#"],
        invalid: &["/a", "-1"],
    },
    FormatTexts { name: "regex", valid: &["^a+$", "", "[a-z]{2,3}"], invalid: &["(", "["] },
    FormatTexts { name: "byte", valid: &["YQ==", ""], invalid: &["Y", "!"] },
];

/// The texts of a format; `None` if it is not known.
pub(super) fn texts_of(format: &str) -> Option<&'static FormatTexts> {
    FORMATS.iter().find(|known| known.name == format)
}

/// The range that a format of OpenAPI states for an integer, which generators of schemas for Rust and other languages write.
pub(super) fn integer_range(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// A random text of a format; `None` if the listed texts have to serve.
pub(super) fn random_text(format: &str, rng: &mut TestRng) -> Option<String> {
    let date = |rng: &mut TestRng| {
        let (year, month, day) =
            (rng.random_range(1970..2100), rng.random_range(1..=12), rng.random_range(1..=28));
        format!("{year}-{month:02}-{day:02}")
    };
    let time = |rng: &mut TestRng| {
        let (hour, minute, second) =
            (rng.random_range(0..24), rng.random_range(0..60), rng.random_range(0..60));
        format!("{hour:02}:{minute:02}:{second:02}Z")
    };
    Some(match format {
        "date" => date(rng),
        "time" => time(rng),
        "date-time" => format!("{}T{}", date(rng), time(rng)),
        "duration" => format!("PT{}S", rng.random_range(0..100_000)),
        "ipv4" => std::net::Ipv4Addr::from(rng.next_u32()).to_string(),
        "ipv6" => {
            let bits = (u128::from(rng.next_u64()) << 64) | u128::from(rng.next_u64());
            std::net::Ipv6Addr::from(bits).to_string()
        }
        "uuid" => {
            // Version 4: RFC 9562, section 5.4.
            let (high, low) = (rng.next_u64(), rng.next_u64());
            format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
                high >> 32,
                (high >> 16) & 0xffff,
                high & 0xfff,
                low >> 52,
                low & 0xffff_ffff_ffff
            )
        }
        "email" => format!("user{}@example.com", rng.random_range(0..1000)),
        "hostname" => format!("host{}.example", rng.random_range(0..1000)),
        "uri" | "url" => format!("https://example.com/{}", rng.random_range(0..1000)),
        _ => return None,
    })
}
