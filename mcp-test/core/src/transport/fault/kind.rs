//! The kinds of faults, as `mcp-test list --faults` shows them.

use self::Reach::{Everywhere, Http, Lines, Network, Process};
use super::Reach;
use crate::spec::Side;

/// A kind of fault: its notation, where it has an effect, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultKind {
    /// The word that its notation starts with.
    pub word: &'static str,
    /// The whole notation, with the arguments in capitals.
    pub form: &'static str,
    /// The transports on which it has an effect.
    pub reach: Reach,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether only a protected server can have it.
    pub needs_protection: bool,
    sides: &'static [Side],
}

impl FaultKind {
    /// Whether a peer of this side can have the fault.
    #[must_use]
    #[doc(hidden)]
    pub fn is_of(&self, side: Side) -> bool {
        self.sides.contains(&side)
    }

    /// A fault of servers.
    const fn server(
        word: &'static str,
        form: &'static str,
        reach: Reach,
        summary: &'static str,
    ) -> Self {
        let needs_protection = false;
        Self { word, form, reach, summary, needs_protection, sides: &[Side::Server] }
    }

    /// A fault of servers and clients.
    const fn both(
        word: &'static str,
        form: &'static str,
        reach: Reach,
        summary: &'static str,
    ) -> Self {
        Self { sides: &[Side::Server, Side::Client], ..Self::server(word, form, reach, summary) }
    }

    /// A fault of a server that is protected by tokens.
    const fn protected(word: &'static str, summary: &'static str) -> Self {
        Self { needs_protection: true, ..Self::server(word, word, Http, summary) }
    }

    /// A fault of a client in what OAuth has it do.
    const fn sign_in(word: &'static str, form: &'static str, summary: &'static str) -> Self {
        Self { sides: &[Side::Client], ..Self::server(word, form, Network, summary) }
    }
}

/// All kinds of faults.
#[rustfmt::skip]
pub const FAULT_KINDS: &[FaultKind] = &[
    FaultKind::both("set", "set:METHOD:POINTER:JSON", Everywhere, "put a value into the message"),
    FaultKind::both("remove", "remove:METHOD:POINTER", Everywhere, "remove a member or an item from the message"),
    FaultKind::both("retype", "retype:METHOD:POINTER", Everywhere, "turn a value of the message into one of another type"),
    FaultKind::both("duplicate", "duplicate:METHOD:POINTER", Everywhere, "write a member twice"),
    FaultKind::both("error", "error:METHOD:CODE", Everywhere, "answer with a JSON-RPC error"),
    FaultKind::both("wrong-id", "wrong-id:METHOD", Everywhere, "send an id other than the right one"),
    FaultKind::both("retyped-id", "retyped-id:METHOD", Everywhere, "send the id in the wrong type, \"1\" for 1"),
    FaultKind::both("null-id", "null-id:METHOD", Everywhere, "send null as id"),
    FaultKind::both("twice", "twice:METHOD", Everywhere, "send the message twice"),
    FaultKind::both("late", "late:METHOD:TIME", Everywhere, "delay the message by this time while others pass it"),
    FaultKind::both("never", "never:METHOD", Everywhere, "never send the message"),
    FaultKind::server("answer", "answer:METHOD:JSON", Everywhere, "answer with this result without doing anything else"),
    FaultKind::server("ignore", "ignore:METHOD", Everywhere, "ignore this message from the other side"),
    FaultKind::both("stray", "stray:METHOD:JSON", Everywhere, "send an unsolicited message before the message"),
    FaultKind::both("flood", "flood:METHOD:COUNT", Everywhere, "send this many notifications before the message"),
    FaultKind::both("truncate", "truncate:METHOD", Everywhere, "send half of the text as if it were complete"),
    FaultKind::both("bom", "bom:METHOD", Everywhere, "start the text with a byte order mark"),
    FaultKind::both("nul", "nul:METHOD", Everywhere, "put NUL bytes before the text"),
    FaultKind::both("invalid-utf8", "invalid-utf8:METHOD", Everywhere, "put a byte into the text that is not valid UTF-8"),
    FaultKind::both("deep", "deep:METHOD", Everywhere, "add a value that is nested 10,000 levels deep"),
    FaultKind::both("pad", "pad:METHOD:BYTES", Everywhere, "make the text this many bytes longer"),
    FaultKind::server("cut", "cut:METHOD", Everywhere, "send half of the text, then break the connection"),
    FaultKind::server("close", "close:METHOD", Everywhere, "close the connection instead of sending the message"),
    FaultKind::server("exit", "exit:METHOD", Lines, "exit instead of sending the message"),
    FaultKind::server("exit-after", "exit-after:METHOD", Lines, "exit once the message is sent"),
    FaultKind::server("banner", "banner:TEXT", Lines, "print a line that is not a message before anything else"),
    FaultKind::both("noise", "noise:METHOD:TEXT", Lines, "print a line that is not a message before the message"),
    FaultKind::both("blank-line", "blank-line:METHOD", Lines, "write an empty line before the message"),
    FaultKind::both("two-on-a-line", "two-on-a-line:METHOD", Lines, "write the message twice on the same line"),
    FaultKind::both("embedded-newline", "embedded-newline:METHOD", Lines, "spread the message over several lines"),
    FaultKind::server("ignore-eof", "ignore-eof", Lines, "keep running after the input has ended"),
    FaultKind::both("ignore-term", "ignore-term", Process, "keep running when asked to terminate"),
    FaultKind::server("status", "status:METHOD:STATUS", Http, "answer with another HTTP status"),
    FaultKind::both("header", "header:METHOD:NAME:TEXT", Http, "send an HTTP header, replacing any of the same name"),
    FaultKind::both("no-header", "no-header:METHOD:NAME", Http, "leave out an HTTP header"),
    FaultKind::both("content-type", "content-type:METHOD:TYPE", Http, "send another Content-Type"),
    FaultKind::server("redirect", "redirect:METHOD:LOCATION", Http, "answer with status 307 and this location"),
    FaultKind::server("html", "html:METHOD", Http, "answer with an HTML page"),
    FaultKind::both("empty-body", "empty-body:METHOD", Http, "send an empty HTTP body"),
    FaultKind::server("wrong-chunks", "wrong-chunks:METHOD", Network, "send a chunked body without readable sizes"),
    FaultKind::server("two-responses", "two-responses:METHOD", Network, "send the whole HTTP response twice"),
    FaultKind::server("session-id", "session-id:TEXT", Http, "issue session ids that contain this text"),
    FaultKind::server("sse-split", "sse-split:METHOD", Http, "send the message as an event, one byte at a time"),
    FaultKind::server("sse-garble", "sse-garble:METHOD", Http, "send the message in lines that are not fields of an event"),
    FaultKind::server("sse-end", "sse-end:METHOD", Http, "end the event stream before the message"),
    FaultKind::server("sse-open", "sse-open:METHOD", Http, "leave the event stream open after the message"),
    FaultKind::server("any-origin", "any-origin", Http, "serve requests with any Origin and Host"),
    FaultKind::server("host-only", "host-only", Http, "refuse foreign hosts, but serve foreign origins"),
    FaultKind::server("no-origin", "no-origin", Http, "refuse requests with any Origin, which is allowed"),
    FaultKind::server("origin-400", "origin-400", Http, "refuse foreign origins with HTTP 400"),
    FaultKind::server("any-version", "any-version", Http, "serve requests with any MCP-Protocol-Version"),
    FaultKind::server("vague-version", "vague-version", Everywhere, "refuse unsupported versions with -32600"),
    FaultKind::server("echo-version", "echo-version", Everywhere, "confirm whatever version a client proposes"),
    FaultKind::server("any-meta", "any-meta", Everywhere, "serve requests without the required members of _meta"),
    FaultKind::server("want-client-info", "want-client-info", Everywhere, "refuse requests that do not name their client"),
    FaultKind::server("any-filter", "any-filter", Everywhere, "notify subscriptions of what they did not ask for"),
    FaultKind::server("pretend-success", "pretend-success", Everywhere, "answer what has failed with an empty result"),
    FaultKind::server("endless-lists", "endless-lists", Everywhere, "name a further page after each page of a list"),
    FaultKind::server("unlock-tool", "unlock-tool", Everywhere, "list another tool once a tool was called"),
    FaultKind::server("any-mirror", "any-mirror", Http, "serve requests whose mirrored headers do not match their body"),
    FaultKind::server("vague-mirror", "vague-mirror", Http, "refuse mismatched mirrored headers with -32600"),
    FaultKind::server("any-marker", "any-marker", Http, "decode header values that are marked as Base64 in any case"),
    FaultKind::server("any-accept", "any-accept", Http, "serve requests with any Accept"),
    FaultKind::server("any-method", "any-method", Http, "execute messages that are sent by another method than POST"),
    FaultKind::server("media-type-500", "media-type-500", Http, "answer with HTTP 500 where a media type is not acceptable"),
    FaultKind::server("no-charset", "no-charset", Http, "refuse the Content-Type application/json with a charset"),
    FaultKind::server("any-interface", "any-interface", Network, "listen on all interfaces"),
    FaultKind::server("replies-on-get", "replies-on-get", Http, "send replies on the stream for unsolicited messages as well"),
    FaultKind::server("repeat-event", "repeat-event", Http, "replay what a resuming client has received last"),
    FaultKind::server("mix-streams", "mix-streams", Network, "mix up the event streams of clients over HTTP+SSE"),
    FaultKind::server("no-session", "no-session", Http, "issue no session id and require none"),
    FaultKind::server("one-session", "one-session", Http, "refuse another session while one is open"),
    FaultKind::server("same-session-id", "same-session-id", Http, "issue the same session id every time"),
    FaultKind::server("forget-session", "forget-session", Http, "forget the session once it is initialized"),
    FaultKind::server("keep-session", "keep-session", Http, "keep serving a session after DELETE"),
    FaultKind::server("no-event-ids", "no-event-ids", Http, "send no event ids, and so no priming event"),
    FaultKind::server("same-event-ids", "same-event-ids", Http, "use the same event ids on every stream"),
    FaultKind::server("no-retry", "no-retry", Http, "never send a retry time"),
    FaultKind::server("no-replay", "no-replay", Http, "do not replay what a resuming client has missed"),
    FaultKind::protected("any-caller", "serve requests without a token, although the server is protected"),
    FaultKind::protected("guard-post", "demand a token for POST, and not for GET or DELETE"),
    FaultKind::protected("trust-session", "demand no token for requests of a session"),
    FaultKind::protected("any-session-user", "serve the requests of any user in the session of another one"),
    FaultKind::protected("any-token-time", "accept tokens that have expired, or are not valid yet"),
    FaultKind::protected("any-audience", "accept tokens for other servers"),
    FaultKind::protected("any-token-issuer", "accept tokens that name another issuer"),
    FaultKind::protected("any-signature", "accept tokens with any signature"),
    FaultKind::protected("unsigned-token", "accept tokens that are not signed"),
    FaultKind::protected("token-in-query", "accept the token in the query of the URL"),
    FaultKind::protected("any-scope", "accept tokens without the scopes that the server demands"),
    FaultKind::protected("any-dpop-proof", "accept any proof of possession, and none"),
    FaultKind::sign_in("parameter", "parameter:REQUEST:NAME:TEXT", "send this parameter in `authorize`, `exchange`, `refresh`, `register` or `token`, or this claim in `assertion`"),
    FaultKind::sign_in("no-parameter", "no-parameter:REQUEST:NAME", "leave out a parameter of `authorize`, `exchange`, `refresh`, `register` or `token`, or a claim of `assertion`"),
    FaultKind::sign_in("give-up", "give-up:STEP", "give up before `discover`, `metadata`, `register`, `authorize` or `token`"),
    FaultKind::sign_in("invented-token", "invented-token", "send a token that nobody has issued, until it is refused"),
    FaultKind::sign_in("root-metadata-first", "root-metadata-first", "look for metadata at the root first"),
    FaultKind::sign_in("any-resource", "any-resource", "use the metadata of another resource than the server"),
    FaultKind::sign_in("any-issuer", "any-issuer", "use the metadata of another issuer"),
    FaultKind::sign_in("any-iss", "any-iss", "accept an authorization response of any issuer"),
    FaultKind::sign_in("assume-pkce", "assume-pkce", "go on with a server that does not say that it supports PKCE"),
    FaultKind::sign_in("any-url", "any-url", "use any URL that metadata names, and follow redirects from there"),
    FaultKind::sign_in("get-keys", "get-keys", "get the keys of the authorization server, wherever they are"),
    FaultKind::sign_in("open-any-url", "open-any-url", "open any URL of an authorization endpoint in the browser"),
    FaultKind::sign_in("open-in-shell", "open-in-shell", "open the URL of the authorization endpoint by a command of a shell"),
    FaultKind::sign_in("token-on-redirect", "token-on-redirect", "send the token wherever the server redirects a request to"),
    FaultKind::sign_in("no-client-id", "no-client-id", "go on without a client id when the registration is refused"),
    FaultKind::sign_in("retry-registration", "retry-registration", "register again and again when the registration is refused"),
    FaultKind::sign_in("endless-sign-in", "endless-sign-in", "sign in again and again when that fails"),
    FaultKind::sign_in("mix-servers", "mix-servers", "send the token request to another authorization server of the same resource"),
    FaultKind::sign_in("any-state", "any-state", "accept an authorization response with any state"),
    FaultKind::sign_in("token-on-post", "token-on-post", "send the token with POST, and not with GET or DELETE"),
    FaultKind::sign_in("always-register", "always-register", "register although the client has an id"),
    FaultKind::sign_in("reuse-registration", "reuse-registration", "use a registration at another authorization server"),
    FaultKind::sign_in("other-auth-method", "other-auth-method", "authenticate by another method than the registered one"),
    FaultKind::sign_in("no-step-up", "no-step-up", "do not ask for the scopes that the token lacks"),
    FaultKind::sign_in("endless-step-up", "endless-step-up", "ask for more scopes again and again"),
    FaultKind::sign_in("forget-scopes", "forget-scopes", "ask only for the scopes that the token lacks"),
    FaultKind::sign_in("no-dpop", "no-dpop", "send no proofs of possession"),
    FaultKind::sign_in("dpop-as-bearer", "dpop-as-bearer", "send a token that is bound to a key as a bearer token"),
    FaultKind::sign_in("reuse-dpop-proof", "reuse-dpop-proof", "send the same proof of possession again"),
    FaultKind::sign_in("ignore-dpop-nonce", "ignore-dpop-nonce", "make no new proof when a nonce is demanded"),
    FaultKind::sign_in("ignore-server-nonce", "ignore-server-nonce", "make no new proof when the MCP server demands a nonce"),
    FaultKind::sign_in("expired-assertion", "expired-assertion", "send the assertion that has expired"),
    FaultKind::sign_in("foreign-assertion", "foreign-assertion", "send the assertion for another audience"),
    FaultKind::sign_in("retry-grant", "retry-grant", "send a token request again when it is refused"),
    FaultKind::sign_in("change-grant", "change-grant", "ask by client credentials when another grant is refused"),
    FaultKind::sign_in("no-renewal", "no-renewal", "get no other token when the token has expired"),
    FaultKind::sign_in("old-refresh-token", "old-refresh-token", "redeem the first refresh token again and again"),
    FaultKind::sign_in("refresh-token-as-bearer", "refresh-token-as-bearer", "send the refresh token to the MCP server"),
    FaultKind::sign_in("assume-refresh-token", "assume-refresh-token", "redeem a refresh token that nobody has issued"),
    FaultKind::sign_in("no-well-known", "no-well-known", "look for the metadata of the server only where its challenge says"),
    FaultKind::sign_in("openid-first", "openid-first", "look for metadata where OpenID Connect has it first"),
    FaultKind::sign_in("no-openid", "no-openid", "look for metadata only where RFC 8414 has it"),
    FaultKind::sign_in("keep-path", "keep-path", "look for an authorization server of 2025-03-26 below the path of the server"),
    FaultKind::sign_in("assume-endpoints", "assume-endpoints", "use the default endpoints of 2025-03-26 without looking for metadata"),
    FaultKind::sign_in("no-metadata-version", "no-metadata-version", "ask for the metadata of 2025-03-26 without MCP-Protocol-Version"),
    FaultKind::sign_in("resource-as-text", "resource-as-text", "refuse metadata that write the URL of the server in another way"),
    FaultKind::sign_in("assume-documents", "assume-documents", "use the URL of the metadata document as id at any authorization server"),
    FaultKind::sign_in("invent-registration", "invent-registration", "register at a URL that no metadata names"),
    FaultKind::sign_in("ask-user", "ask-user", "ask for the consent of the user where none is needed"),
    FaultKind::sign_in("assertion-as-bearer", "assertion-as-bearer", "send the assertion of the identity provider to the MCP server"),
];
