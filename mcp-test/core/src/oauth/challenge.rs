//! What a server says when it demands a token.

/// The parameters of a challenge in `WWW-Authenticate` for bearer tokens, or for tokens that are bound to a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    parameters: Vec<(String, String)>,
    /// Whether it is for a token that is bound to a key (RFC 9449).
    pub(crate) is_for_bound_token: bool,
}

impl Challenge {
    /// The first challenge for a token in the values of `WWW-Authenticate`; `None` if they have none.
    pub(crate) fn find<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        values.into_iter().find_map(|value| {
            let is_for_bound_token = value.trim_start().to_ascii_lowercase().starts_with("dpop");
            Some(Self { parameters: parse(value)?, is_for_bound_token })
        })
    }

    /// The first challenge for a token among the headers of a response.
    #[doc(hidden)]
    pub fn from_headers(headers: &[(String, String)]) -> Option<Self> {
        let is_challenge = |name: &str| name.eq_ignore_ascii_case("www-authenticate");
        let values = headers.iter().filter(|(name, _)| is_challenge(name));
        Self::find(values.map(|(_, value)| value.as_str()))
    }

    /// Whether there are challenges in the values of `WWW-Authenticate`, and none of them for a token.
    pub(crate) fn is_other<'a>(values: impl IntoIterator<Item = &'a str>) -> bool {
        let mut values = values.into_iter().peekable();
        values.peek().is_some() && values.all(|value| parse(value).is_none())
    }

    /// The value of a parameter.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The scopes that it asks for.
    #[doc(hidden)]
    pub fn scopes(&self) -> Option<Vec<String>> {
        let scopes = self.get("scope")?;
        Some(scopes.split_ascii_whitespace().map(str::to_owned).collect())
    }
}

/// The parameters of `Bearer` or `DPoP` in a header, which may have several challenges (RFC 9110, section 11.6.1).
fn parse(value: &str) -> Option<Vec<(String, String)>> {
    let lower = value.to_ascii_lowercase();
    let found = ["bearer", "dpop"].into_iter().flat_map(|scheme| lower.match_indices(scheme));
    let mut ends = found.filter_map(|(at, scheme)| {
        let (before, end) = (value[..at].trim_end(), at + scheme.len());
        let is_scheme = (before.is_empty() || before.ends_with(','))
            && value[end..].chars().next().is_none_or(char::is_whitespace);
        is_scheme.then_some(end)
    });
    let start = ends.next()?;
    let mut rest = value[start..].trim_start();
    let mut parameters = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim();
        // A space in the name: the scheme of the next challenge stands before it.
        if name.is_empty() || name.contains(char::is_whitespace) {
            break;
        }
        let (text, after) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let end = after.find(',').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
        };
        parameters.push((name.to_owned(), text));
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    Some(parameters)
}

/// A quoted text, after its first quote, and what follows it.
fn unquote(quoted: &str) -> (String, &str) {
    let (mut text, mut escaped) = (String::new(), false);
    for (at, character) in quoted.char_indices() {
        match character {
            '"' if !escaped => return (text, &quoted[at + 1..]),
            '\\' if !escaped => escaped = true,
            other => {
                text.push(other);
                escaped = false;
            }
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> String {
        let parameters = parse(value).unwrap_or_default();
        let shown: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        shown.join(";")
    }

    #[test]
    fn challenges_are_read_as_rfc_9110_has_them() {
        assert_eq!(shown("Bearer"), "");
        assert_eq!(shown(r#"Bearer scope="a b", error="x""#), "scope=a b;error=x");
        assert_eq!(shown(r#"bearer error=invalid_token"#), "error=invalid_token");
        assert_eq!(shown(r#"Basic realm="Bearer", Bearer scope="a""#), "scope=a");
        assert_eq!(shown(r#"Bearer scope="a", Basic realm="b""#), "scope=a");
        assert_eq!(shown(r#"DPoP error="use_dpop_nonce""#), "error=use_dpop_nonce");
        assert_eq!(shown(r#"Bearer scope="a \"b\", c", error="d""#), r#"scope=a "b", c;error=d"#);
        assert_eq!(shown(r#"Bearer scope="open"#), "scope=open");
        assert_eq!(parse("Basic realm=\"x\""), None);
        assert_eq!(parse("NotBearer scope=\"x\""), None);
    }
}
