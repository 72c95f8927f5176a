//! The entries of `skills/list`: their members, URIs and names.

use mcp_test_core::expect::{ObjectMatcher, any_of, array, non_empty_string, text_starting_with};

use super::entry::Entry;
use crate::scenarios::matchers::repeated;
use crate::scenarios::prelude::*;
use crate::scenarios::skills::skills_server::{name_in, text};

/// The prefix of keys in the metadata of the frontmatter that is left to extensions of MCP.
const RESERVED: &str = "io.modelcontextprotocol/";

/// The longest name of a skill.
const LONGEST_NAME: usize = 64;

pub(super) fn judge(ctx: &mut Ctx, entries: &[Entry<'_>]) {
    let with_uri = "no entry has a URI";
    each(ctx, "sep-2640-entry-uri-required", entries, with_uri, |_| {
        Some(object().member("uri", non_empty_string()))
    });
    each(ctx, "sep-2640-entry-frontmatter-required", entries, with_uri, |_| {
        Some(object().member("frontmatter", described()))
    });
    each(ctx, "sep-2640-entry-uri-matches-frontmatter-name", entries, with_uri, |entry| {
        // That the URI is missing is reported already.
        text(entry.value, "uri").map(|_| match entry.name_in_uri() {
            Some(name) => object().member("frontmatter", object().member("name", equals(name))),
            None => object().member("uri", skill_uri()),
        })
    });
    each(ctx, "sep-2640-skill-uri-scheme", entries, with_uri, |entry| {
        entry.uri().map(|_| object().member("uri", text_starting_with("skill://")))
    });
    each(ctx, "sep-2640-entry-resources-required", entries, with_uri, |_| {
        Some(object().member("resources", files_or_dynamic()))
    });
}

pub(super) fn judge_names(ctx: &mut Ctx, entries: &[Entry<'_>]) {
    let with_metadata = |entry: &Entry<'_>| {
        let metadata = entry.value.at("/frontmatter/metadata");
        metadata.filter(|metadata| metadata.is_object()).is_some()
    };
    let reserved = ctx.check("sep-2640-metadata-reserved-prefix").pass();
    entries.iter().filter(|entry| with_metadata(entry)).fold(reserved, |check, entry| {
        check.expect(
            &entry.part(),
            object().member("frontmatter", object().member("metadata", without_reserved_keys())),
        )
    });
    let with_name = "no URI ends in `/SKILL.md`";
    each(ctx, "sep-2640-name-naming-rules", entries, with_name, |entry| {
        entry.name_in_uri().map(|_| object().member("uri", named_by_the_rules()))
    });
    each(ctx, "sep-2640-authority-reg-name", entries, "no URI has an authority", |entry| {
        authority(entry.uri()?).map(|_| object().member("uri", with_reg_name()))
    });
    let names = entries.iter().filter_map(|entry| text(entry.frontmatter()?, "name"));
    let names: Vec<&str> = names.collect();
    let twice = repeated(&names);
    ctx.check("sep-2640-names-should-be-unique").judge(ensure(twice.is_none(), || {
        Finding::peer("two skills have the same name")
            .expected("a name of its own for each skill")
            .got(format!("{:?} twice", twice.unwrap_or_default()))
            .evidence_all(entries.iter().filter_map(Entry::evidence).next())
    }));
}

/// Requires of each entry what `expected` returns for it; if that is nothing for all of them, the check is skipped.
pub(super) fn each(
    ctx: &mut Ctx,
    id: &str,
    entries: &[Entry<'_>],
    otherwise: &str,
    expected: impl Fn(&Entry<'_>) -> Option<ObjectMatcher>,
) {
    let judged: Vec<_> =
        entries.iter().filter_map(|entry| Some((entry, expected(entry)?))).collect();
    if judged.is_empty() {
        ctx.check(id).skip(otherwise);
        return;
    }
    judged
        .into_iter()
        .fold(ctx.check(id), |check, (entry, expected)| check.expect(&entry.part(), expected));
}

/// Matches frontmatter with what every skill has.
pub(super) fn described() -> ObjectMatcher {
    object().member("name", non_empty_string()).member("description", non_empty_string())
}

/// Matches `resources`.
pub(super) fn files_or_dynamic() -> impl Matcher {
    any_of(vec![Box::new(array()), Box::new(equals("dynamic"))])
}

fn skill_uri() -> impl Matcher {
    satisfying("a URI that ends in `/SKILL.md`", |uri: &Value| {
        uri.as_str().is_some_and(|uri| name_in(uri).is_some())
    })
}

fn without_reserved_keys() -> impl Matcher {
    satisfying(format!("an object without keys that begin with `{RESERVED}`"), |it: &Value| {
        it.as_object().is_none_or(|it| it.keys().all(|key| !key.starts_with(RESERVED)))
    })
}

fn named_by_the_rules() -> impl Matcher {
    let description = format!(
        "a URI whose last directory has 1 to {LONGEST_NAME} of a-z, 0-9 and single inner hyphens"
    );
    satisfying(description, |uri: &Value| uri.as_str().and_then(name_in).is_some_and(is_name))
}

/// Whether text is a name by the rules for skills (<https://agentskills.io/specification#name-field>).
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !part.is_empty() && part.bytes().all(is_allowed)
    };
    text.len() <= LONGEST_NAME && text.split('-').all(is_part)
}

/// The part of a URI where its host is: in that of a skill the first segment of its path.
fn authority(uri: &str) -> Option<&str> {
    uri.split_once("://")?.1.split('/').next()
}

fn with_reg_name() -> impl Matcher {
    satisfying("a URI whose first segment is a registered name as in RFC 3986", |uri: &Value| {
        uri.as_str().and_then(authority).is_some_and(is_reg_name)
    })
}

/// RFC 3986, section 3.2.2.
fn is_reg_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte);
    let mut parts = text.split('%');
    let is_encoded = |part: &str| match part.as_bytes() {
        [first, second, rest @ ..] => {
            let is_hex = first.is_ascii_hexdigit() && second.is_ascii_hexdigit();
            is_hex && rest.iter().copied().all(is_allowed)
        }
        _ => false,
    };
    parts.next().is_some_and(|part| part.bytes().all(is_allowed)) && parts.all(is_encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_lower_case_letters_digits_and_single_inner_hyphens() {
        let longest = "a".repeat(LONGEST_NAME);
        for good in ["a", "0", "pdf-2-text", &longest] {
            assert!(is_name(good), "{good}");
        }
        let too_long = format!("{longest}a");
        for bad in ["", "A", "a_b", "-a", "a-", "a--b", "ä", "a b", &too_long] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_registered_name_has_no_port_and_no_user() {
        let is_good = |uri| authority(uri).map(is_reg_name);
        for good in ["skill://acme/a", "skill://a_b", "skill://a%2Fb~!/x", "skill:///x"] {
            assert_eq!(is_good(good), Some(true), "{good}");
        }
        for bad in ["skill://a:80/x", "skill://a@b/x", "skill://a%2/x", "skill://a%zz", "skill://ä"]
        {
            assert_eq!(is_good(bad), Some(false), "{bad}");
        }
        assert_eq!(is_good("urn:x"), None);
    }
}
