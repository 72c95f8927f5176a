//! Taking out of a trace what must not be shown, and on demand what differs from run to run.
//!
//! Secrets go always: they are known by the header, query parameter or member that holds them, and wherever else their
//! text turns up. For golden traces session ids, ports, times and the like become `[session]`, `[port]`, `[time]`. The
//! same original gets the same placeholder; numbers tell originals apart where there are several.

mod given;
mod names;
mod pattern;
mod texts;
mod url;
mod whole;

use std::collections::BTreeMap;

use self::names::{golden_member, is_secret_header, is_secret_member};
use self::pattern::Found;
use self::url::{Pieces, secret_parameters};
use super::{EventKind, Trace};
use crate::json::Value;

#[doc(hidden)]
pub use self::given::{secrets_in_command, secrets_in_environment};
pub use self::names::is_secret_variable;
#[doc(hidden)]
pub use self::names::{is_secret_parameter, is_volatile_member};
pub use self::texts::SecretTexts;
#[doc(hidden)]
pub use self::url::percent_decoded;
pub use self::url::secrets_in_url;

/// Replaces what should not be seen by `[placeholders]`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::trace::Redactor;
///
/// let mut redactor = Redactor::golden().member("buildId", "build");
/// let value = serde_json::json!({"buildId": 77, "password": "abc", "seen": "2026-11-21T21:37:43Z"}).into();
/// let redacted = redactor.value(&value).to_string();
/// assert_eq!(redacted, r#"{"buildId":"[build]","password":"[secret]","seen":"[time]"}"#);
/// ```
#[derive(Debug, Clone)]
pub struct Redactor {
    level: Level,
    secrets: SecretTexts,
    /// Headers, in lower case, whose value is a secret whatever it is.
    headers: Vec<String>,
    literals: Vec<(String, String)>,
    members: Vec<(String, String)>,
    /// The originals behind the placeholders of each kind, in order of appearance.
    seen: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Nothing,
    Secrets,
    Golden,
}

/// What stands in place of a secret.
pub const SECRET: &str = "[secret]";
/// A shorter text is not looked for elsewhere: it would be found in places that have nothing to do with it.
const SHORTEST_LITERAL: usize = 6;

impl Default for Redactor {
    fn default() -> Self {
        Self::secrets()
    }
}

impl Redactor {
    fn with_level(level: Level) -> Self {
        Self {
            level,
            secrets: SecretTexts::default(),
            headers: Vec::new(),
            literals: Vec::new(),
            members: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Replaces nothing: for a trace that stays among the harness's own processes.
    pub fn nothing() -> Self {
        Self::with_level(Level::Nothing)
    }

    /// Replaces secrets.
    pub fn secrets() -> Self {
        Self::with_level(Level::Secrets)
    }

    /// Replaces secrets and what differs from run to run.
    pub fn golden() -> Self {
        Self::with_level(Level::Golden)
    }

    /// Takes this text for a secret, wherever it turns up, in any form that [`SecretTexts`] knows.
    #[must_use]
    pub fn secret(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.secrets.add(&text);
        // Whoever names it wants it masked, even if it is short.
        self.secrets.insert(text);
        self
    }

    /// Takes these texts for secrets, in place of all that it knows so far.
    #[must_use]
    #[doc(hidden)]
    pub fn secret_texts(mut self, secrets: SecretTexts) -> Self {
        self.secrets = secrets;
        self
    }

    /// Takes the value of this header for a secret, whatever it is, but does not look for it elsewhere.
    #[must_use]
    pub fn secret_header(mut self, name: &str) -> Self {
        self.headers.push(name.to_ascii_lowercase());
        self
    }

    /// Replaces this text by `[kind]`, wherever it turns up.
    #[must_use]
    pub fn literal(mut self, text: impl Into<String>, kind: impl Into<String>) -> Self {
        self.literals.extend(Some((text.into(), kind.into())).filter(|(text, _)| !text.is_empty()));
        self
    }

    /// Replaces the values of all JSON members of this name by `[kind]`.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, kind: impl Into<String>) -> Self {
        self.members.push((name.into(), kind.into()));
        self
    }

    /// Learns from the headers and paths of a trace which texts to look for elsewhere.
    pub fn learn(&mut self, trace: &Trace) {
        let mut sessions: Vec<String> = Vec::new();
        for event in &trace.events {
            if let (EventKind::HttpRequest { path, .. }, true) =
                (&event.kind, self.level >= Level::Secrets)
            {
                let secrets = secret_parameters(path).filter(|it| it.len() >= SHORTEST_LITERAL);
                secrets.for_each(|secret| self.secrets.add(secret));
            }
            let (EventKind::HttpRequest { headers, .. } | EventKind::HttpResponse { headers, .. }) =
                &event.kind
            else {
                continue;
            };
            for (name, value) in headers {
                if self.level >= Level::Secrets && is_secret_header(name) {
                    secret_parts(name, value).into_iter().for_each(|part| self.secrets.add(part));
                } else if self.level == Level::Golden && name.eq_ignore_ascii_case("mcp-session-id")
                {
                    sessions.push(value.clone());
                }
            }
        }
        let sessions = sessions.into_iter().filter(|session| session.len() >= SHORTEST_LITERAL);
        self.literals.extend(sessions.map(|session| (session, "session".to_owned())));
        // Longest first, so that no session is torn by another one that it contains.
        self.literals.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
        self.literals.dedup();
    }

    /// Redacts free text.
    pub fn text(&mut self, text: &str) -> String {
        let mut text = self.without_secrets(text);
        // A copy, because `placeholder` needs the rest of the redactor.
        for (literal, kind) in self.literals.clone() {
            if text.contains(&literal) {
                let placeholder = self.placeholder(&kind, &literal);
                text = text.replace(&literal, &placeholder);
            }
        }
        if self.level < Level::Golden {
            return text;
        }
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(Found { kind, start, end }) = pattern::find(rest) {
            redacted.push_str(&rest[..start]);
            redacted.push_str(&self.placeholder(kind, &rest[start..end]));
            rest = &rest[end..];
        }
        redacted + rest
    }

    fn without_secrets(&self, text: &str) -> String {
        self.secrets.mask(text)
    }

    /// Redacts the value of a header.
    pub fn header(&mut self, name: &str, value: &str) -> String {
        if self.level >= Level::Secrets && is_secret_header(name) {
            // The scheme is no secret, and often what is wrong.
            return match value.split_once(' ') {
                Some((scheme, _)) if name.to_ascii_lowercase().ends_with("authorization") => {
                    format!("{scheme} {SECRET}")
                }
                _ => SECRET.to_owned(),
            };
        }
        // HTTP compares names of headers without regard to case.
        let name = name.to_ascii_lowercase();
        if self.headers.contains(&name) {
            return SECRET.to_owned();
        }
        match name.as_str() {
            // Ids are opaque texts without a pattern, so only their header shows what they are.
            "mcp-session-id" if self.level == Level::Golden => self.placeholder("session", value),
            "last-event-id" => self.event_id(value),
            // The target of a redirect may have a code in its query.
            "location" => self.urls(value),
            _ => self.text(value),
        }
    }

    /// Redacts the id of a server-sent event.
    pub fn event_id(&mut self, id: &str) -> String {
        if self.level == Level::Golden { self.placeholder("event-id", id) } else { self.text(id) }
    }

    /// Redacts a path with its query.
    pub fn path(&mut self, path: &str) -> String {
        let Some((path, query)) = path.split_once('?') else {
            return self.text(path);
        };
        let parameters: Vec<_> =
            query.split('&').map(|parameter| self.parameter(parameter)).collect();
        format!("{}?{}", self.text(path), parameters.join("&"))
    }

    /// Redacts the URLs among the words of a text: what stands before their host, and secrets in their query.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::trace::Redactor;
    ///
    /// let mut redactor = Redactor::secrets();
    /// let redacted = redactor.urls("http https://me:pass@example.com/mcp?api_key=1&page=2");
    /// assert_eq!(redacted, "http https://[secret]@example.com/mcp?api_key=[secret]&page=2");
    /// ```
    pub fn urls(&mut self, text: &str) -> String {
        if self.level < Level::Secrets || !text.contains("://") {
            return self.text(text);
        }
        let mut words = Vec::new();
        for word in text.split(' ') {
            let Pieces { scheme, user, rest } = Pieces::of(word);
            words.push(if scheme.is_empty() {
                word.to_owned()
            } else {
                let user = user.map(|_| format!("{SECRET}@")).unwrap_or_default();
                format!("{scheme}{user}{}", self.masked(rest))
            });
        }
        self.text(&words.join(" "))
    }

    /// A path with its query, of which only secret parameters are replaced.
    fn masked(&self, path: &str) -> String {
        let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
        let (query, fragment) = query.split_at(query.find('#').unwrap_or(query.len()));
        let parameters: Vec<String> = query
            .split('&')
            .map(|parameter| self.secret_parameter(parameter).unwrap_or(parameter.to_owned()))
            .collect();
        format!("{path}?{}{fragment}", parameters.join("&"))
    }

    fn parameter(&mut self, parameter: &str) -> String {
        self.secret_parameter(parameter).unwrap_or_else(|| self.text(parameter))
    }

    fn secret_parameter(&self, parameter: &str) -> Option<String> {
        let (name, _) = parameter.split_once('=')?;
        let secret = self.level >= Level::Secrets && is_secret_parameter(name);
        secret.then(|| format!("{name}={SECRET}"))
    }

    /// Redacts a JSON value; names of members stay, unless they hold a secret.
    pub fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                // Our own version is in every trace, and would change them all with every release.
                let ours = object.get("name").and_then(Value::as_str) == Some("mcp-test");
                let mut redacted = crate::json::Object::default();
                for (name, member) in object.iter() {
                    let value = if ours && name == "version" && self.level == Level::Golden {
                        "[version]".into()
                    } else {
                        self.member_value(name, member)
                    };
                    redacted.push(self.without_secrets(name), value);
                }
                redacted.into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn member_value(&mut self, name: &str, value: &Value) -> Value {
        let original = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            // The members below hold scalars; an object of that name may hold anything, and is searched.
            _ => return self.value(value),
        };
        if let Some((_, kind)) = self.members.iter().find(|(member, _)| member == name) {
            let kind = kind.clone();
            return self.placeholder(&kind, &original).into();
        }
        if self.level >= Level::Secrets && value.as_str().is_some() && is_secret_member(name) {
            return SECRET.into();
        }
        match golden_member(name) {
            Some(kind) if self.level == Level::Golden => self.placeholder(kind, &original).into(),
            _ => self.value(value),
        }
    }

    /// The placeholder of an original. It has a number as soon as there are several of its kind, so whoever wants the
    /// numbers from the beginning redacts everything twice.
    fn placeholder(&mut self, kind: &str, original: &str) -> String {
        let seen = self.seen.entry(kind.to_owned()).or_default();
        let place = seen.iter().position(|one| one == original).unwrap_or_else(|| {
            seen.push(original.to_owned());
            seen.len() - 1
        });
        if seen.len() == 1 { format!("[{kind}]") } else { format!("[{kind}-{}]", place + 1) }
    }
}

/// The texts in the value of a secret header that are secret by themselves.
fn secret_parts<'a>(name: &str, value: &'a str) -> Vec<&'a str> {
    // The values only: the names of cookies are not secret, and may be common words.
    let of_pair = |pair: &'a str| pair.split_once('=').map_or(pair, |(_, value)| value).trim();
    let parts: Vec<&str> = match name.to_ascii_lowercase().as_str() {
        "cookie" => value.split(';').map(of_pair).collect(),
        // What follows are attributes.
        "set-cookie" => value.split(';').take(1).map(of_pair).collect(),
        name if name.ends_with("authorization") => {
            // Without the scheme, since the credentials may turn up without it; a scheme by itself is no secret.
            let is_scheme =
                ["basic", "bearer", "dpop"].iter().any(|it| it.eq_ignore_ascii_case(value));
            let credentials = value.split_once(' ').map(|(_, credentials)| credentials.trim());
            credentials.or((!is_scheme).then_some(value)).into_iter().collect()
        }
        _ => vec![value],
    };
    let parts = parts.into_iter().map(|part| part.trim_matches('"'));
    parts.filter(|part| part.len() >= SHORTEST_LITERAL).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::trace::{Party, Recorder};

    #[test]
    fn secrets_are_known_by_the_name_of_their_holder() {
        let mut redactor = Redactor::secrets();
        assert_snapshot!(redactor.header("Authorization", "Bearer abc.def"), @"Bearer [secret]");
        assert_snapshot!(redactor.header("authorization", "abc"), @"[secret]");
        assert_snapshot!(redactor.header("X-Api-Key", "abc def"), @"[secret]");
        assert_snapshot!(redactor.header("Mcp-Session-Id", "s-1234"), @"s-1234");
        assert_snapshot!(redactor.path("/mcp?token=abc&page=2&code=x"), @"/mcp?token=[secret]&page=2&code=[secret]");
        let value = json!({"client_secret": "a", "accessToken": "b", "progressToken": "c", "password": 4, "n": [{"apiKey": "d"}]});
        assert_snapshot!(redactor.value(&value.into()),
            @r#"{"accessToken":"[secret]","client_secret":"[secret]","n":[{"apiKey":"[secret]"}],"password":4,"progressToken":"c"}"#);
    }

    #[test]
    fn a_secret_is_found_where_it_was_echoed() {
        let recorder = Recorder::new();
        let wire = recorder.open("http");
        let headers = [
            ("authorization", "Bearer s3cr3t-value"),
            ("Cookie", "sid=\"0123456789\"; theme=dark"),
            ("Set-Cookie", "sid=abcdefghij; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
        ];
        let what = EventKind::HttpRequest {
            method: "POST".into(),
            path: "/?key=k3y-in-query&page=1234567".into(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        };
        recorder.record(wire, Party::Client, what);
        let mut redactor = Redactor::secrets().secret("given explicitly");
        redactor.learn(&recorder.trace());
        assert_snapshot!(redactor.text("Bearer s3cr3t-value, dark 0123456789 abcdefghij 07:28:00, k3y-in-query 1234567, given explicitly"),
            @"Bearer [secret], dark [secret] [secret] 07:28:00, [secret] 1234567, [secret]");
    }

    #[test]
    fn urls_keep_what_is_no_secret() {
        let mut redactor = Redactor::secrets();
        assert_snapshot!(redactor.urls("npx server postgres://me:p@ss@db/x --port=1 http://a/b?c=d#token=e"),
            @"npx server postgres://[secret]@db/x --port=1 http://a/b?c=d#token=e");
        assert_snapshot!(redactor.urls("http://a@b?sig=1#f a@b?sig=1"), @"http://[secret]@b?sig=[secret]#f a@b?sig=1");
        assert_snapshot!(Redactor::golden().urls("http://127.0.0.1:40123/mcp?token=a"), @"http://127.0.0.1:[port]/mcp?token=[secret]");
        let url = "http://me:pass@a?token=b";
        assert_eq!(Redactor::nothing().urls(url), url);
    }

    #[test]
    fn a_header_may_be_named_as_secret() {
        let mut redactor = Redactor::secrets().secret_header("X-Debug");
        assert_snapshot!(redactor.header("x-debug", "true"), @"[secret]");
        assert_snapshot!(redactor.text("that is true"), @"that is true");
    }

    #[test]
    fn redacting_a_trace_changes_only_secrets() {
        let recorder = Recorder::new();
        let wire = recorder.open("http");
        let say = |text: &'static [u8]| {
            recorder.record(wire, Party::Server, EventKind::message(Bytes::from_static(text)));
        };
        say(br#"{"jsonrpc":"2.0","id":12345678,"result":{"a\"b":"say 12345678","a":1,"a":2,"12345678":3}}"#);
        say(b"12345678 \xff 12345678 is not JSON");
        recorder.record(wire, Party::Server, EventKind::Stderr("12345678".to_owned()));
        let trace = Redactor::secrets().secret("12345678").trace(recorder.trace());
        let reported = trace.events.iter().map(|event| match &event.kind {
            EventKind::Message { text, parsed } => {
                format!("{} {}", String::from_utf8_lossy(text), parsed.messages().count())
            }
            other => format!("{other:?}"),
        });
        assert_snapshot!(reported.collect::<Vec<_>>().join("\n"), @r#"
        Opened { transport: "http" }
        {"jsonrpc":"2.0","id":12345678,"result":{"a\"b":"say [secret]","a":1,"a":2,"[secret]":3}} 1
        [secret] � [secret] is not JSON 0
        Stderr("[secret]")
        "#);
    }

    #[test]
    fn nothing_redacts_nothing() {
        let mut redactor = Redactor::nothing();
        let value = json!({"password": "a", "at": "2026-11-21T21:37:43Z"}).into();
        assert_eq!(redactor.value(&value), value);
        assert_eq!(redactor.header("authorization", "Bearer a"), "Bearer a");
    }

    #[test]
    fn golden_replaces_volatile_values_by_placeholders() {
        let mut redactor = Redactor::golden();
        let value = json!({
            "protocolVersion": "2025-11-25",
            "clientInfo": {"name": "mcp-test", "version": "0.1.0"},
            "_meta": {"progressToken": 12},
            "requestId": "r-1",
            "nextCursor": "eyJ",
            "text": "at 2026-11-21T21:37:43.473Z on http://127.0.0.1:40123/mcp: 67e55044-10b1-426f-9247-bb680e5fe0c8",
        });
        assert_snapshot!(redactor.value(&value.into()).pretty(), @r#"
        {
          "_meta": {
            "progressToken": "[token]"
          },
          "clientInfo": {
            "name": "mcp-test",
            "version": "[version]"
          },
          "nextCursor": "[cursor]",
          "protocolVersion": "2025-11-25",
          "requestId": "[id]",
          "text": "at [time] on http://127.0.0.1:[port]/mcp: [uuid]"
        }
        "#);
    }

    #[test]
    fn numbers_distinguish_originals_on_the_second_pass() {
        let mut redactor = Redactor::golden();
        let text = "localhost:1000 localhost:2000 localhost:1000";
        redactor.text(text);
        assert_eq!(redactor.text(text), "localhost:[port-1] localhost:[port-2] localhost:[port-1]");
        assert_eq!(redactor.header("Mcp-Session-Id", "abc"), "[session]");
    }
}
