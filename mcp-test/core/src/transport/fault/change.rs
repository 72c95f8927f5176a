//! What a fault does, and the transports on which it has an effect.

use std::time::Duration;

use crate::json::Value;
use crate::transport::TransportKind;

/// What a fault does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    Set {
        pointer: String,
        value: Value,
    },
    Remove {
        pointer: String,
    },
    Retype {
        pointer: String,
    },
    Duplicate {
        pointer: String,
    },
    Error {
        code: i64,
        message: String,
    },
    Late {
        by: Duration,
    },
    Answer {
        result: Value,
    },
    Stray {
        message: Value,
    },
    Flood {
        count: usize,
    },
    Text(TextFault),
    Pad {
        bytes: usize,
    },
    Banner {
        text: String,
    },
    Noise {
        text: String,
    },
    Status {
        status: u16,
    },
    Header {
        name: String,
        value: String,
    },
    NoHeader {
        name: String,
    },
    ContentType {
        value: String,
    },
    Redirect {
        location: String,
    },
    SessionId {
        text: String,
    },
    /// A change without arguments.
    Plain(Plain),
    /// Another parameter of a request of OAuth; none, if `value` is `None`.
    Parameter {
        name: String,
        value: Option<String>,
    },
    /// The end of what a client does to sign in, before a step.
    GiveUp,
    Misbehavior(Misbehavior),
}

/// Declares an enum with a word for each variant, so that `ALL` lacks none.
macro_rules! words {
    ($(#[$attribute:meta])* $visibility:vis enum $name:ident {
        $($(#[$about:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$attribute])* $visibility enum $name { $($(#[$about])* $variant,)* }

        impl $name {
            pub(super) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word of the notation.
            pub(crate) const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// A change whose only argument is a method.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Plain {
        WrongId = "wrong-id",
        RetypedId = "retyped-id",
        NullId = "null-id",
        Twice = "twice",
        Never = "never",
        Ignore = "ignore",
        Cut = "cut",
        Close = "close",
        Exit = "exit",
        ExitAfter = "exit-after",
        BlankLine = "blank-line",
        TwoOnALine = "two-on-a-line",
        EmbeddedNewline = "embedded-newline",
        Html = "html",
        EmptyBody = "empty-body",
        WrongChunks = "wrong-chunks",
        TwoResponses = "two-responses",
        SseSplit = "sse-split",
        SseGarble = "sse-garble",
        SseEnd = "sse-end",
        SseOpen = "sse-open",
    }
}

words! {
    /// What is wrong with the bytes of a text.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum TextFault {
        Truncated = "truncate",
        ByteOrderMark = "bom",
        Nul = "nul",
        InvalidUtf8 = "invalid-utf8",
        Deep = "deep",
    }
}

words! {
    /// A duty that a peer neglects, or a prohibition that it violates, whatever the message.
    // The code that would comply asks `InterceptedConnection::misbehaves` first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Misbehavior {
        /// Keeps running after its input has ended.
        IgnoresEof = "ignore-eof",
        /// Keeps running when it is asked to terminate.
        IgnoresTerm = "ignore-term",
        /// Writes to its standard error at its start, and before its second message more than a pipe holds, which is allowed.
        FloodsStderr = "flood-stderr",
        /// Serves requests with any `Origin` and `Host`.
        AllowsAnyOrigin = "any-origin",
        /// Refuses foreign hosts, but serves foreign origins.
        LooksAtHostOnly = "host-only",
        /// Refuses requests with any `Origin`, a local one too, which is allowed.
        RefusesAnyOrigin = "no-origin",
        /// Refuses foreign origins with HTTP 400.
        VagueOrigin = "origin-400",
        /// Serves requests with any `MCP-Protocol-Version`.
        SkipsVersion = "any-version",
        /// Refuses an unsupported version with an error code other than the one for it.
        VagueVersion = "vague-version",
        /// Confirms whatever version a client proposes.
        EchoesVersion = "echo-version",
        /// Serves requests without the required members of `_meta`.
        SkipsMeta = "any-meta",
        /// Refuses requests that do not name their client.
        WantsClientInfo = "want-client-info",
        /// Notifies subscriptions of what they did not ask for.
        SkipsFilter = "any-filter",
        /// Returns each list again for any cursor, with another cursor.
        EndlessLists = "endless-lists",
        /// Lists another tool once a tool was called.
        UnlocksTool = "unlock-tool",
        /// Serves requests whose mirrored headers do not match their body.
        SkipsMirrors = "any-mirror",
        /// Refuses mirrored headers that do not match the body with an error code other than the one for it.
        VagueMirrors = "vague-mirror",
        /// Decodes values that are marked as Base64 in another case.
        DecodesAnyMarker = "any-marker",
        /// Serves requests with any `Accept`, in the type that it likes best.
        IgnoresAccept = "any-accept",
        /// Answers with HTTP 500 where a media type is not acceptable.
        BreaksOnMediaTypes = "media-type-500",
        /// Executes messages that are sent by another method than POST.
        ExecutesAnyMethod = "any-method",
        /// Takes a media type with a parameter for another one.
        RefusesCharset = "no-charset",
        /// Listens on all interfaces.
        ListensEverywhere = "any-interface",
        /// Replays the event as well after which a client resumes a stream.
        RepeatsEvent = "repeat-event",
        /// Mixes up the event streams of the clients of 2024-11-05.
        MixesStreams = "mix-streams",
        /// Sends replies on the stream for unsolicited messages as well.
        RepliesOnGet = "replies-on-get",
        /// Issues no session id and requires none.
        NoSession = "no-session",
        /// Refuses another session while one is open.
        ServesOneSession = "one-session",
        /// Issues the same session id every time.
        ReusesSessionId = "same-session-id",
        /// Forgets the session once it is initialized.
        ForgetsSession = "forget-session",
        /// Keeps serving a session after DELETE.
        KeepsSession = "keep-session",
        /// Sends no event ids, and so no priming event.
        NoEventIds = "no-event-ids",
        /// Uses the same event ids on every stream.
        ReusesEventIds = "same-event-ids",
        /// Answers what it should refuse with a result without contents.
        PretendsSuccess = "pretend-success",
        /// Refuses what is not a valid message with an error code other than the one for it.
        VagueRefusal = "vague-refusal",
        /// Serves clients that do not say who they are in `initialize`.
        SkipsClientInfo = "any-client",
        /// Serves requests with any id; what no reply can have becomes `null`.
        ServesAnyId = "any-id",
        /// Takes an id that is a fraction for the whole number below it.
        TruncatesIds = "truncate-id",
        /// Exits when it receives text that is not JSON.
        ExitsAtInvalidText = "exit-on-invalid",
        /// Writes the names of HTTP headers in upper case, which is allowed.
        UpperCaseHeaders = "upper-case-headers",
        /// Never sends a retry time.
        NoRetry = "no-retry",
        /// Does not replay what a resuming client has missed.
        NoReplay = "no-replay",
        /// Serves requests without a token, although it is protected.
        SkipsAuthorization = "any-caller",
        /// Demands a token for POST alone.
        GuardsPostAlone = "guard-post",
        /// Serves requests of a session that was opened with a token.
        TrustsSession = "trust-session",
        /// Serves the requests of any user in the session of another one.
        SharesSessions = "any-session-user",
        /// Accepts tokens that have expired, or are not valid yet.
        IgnoresTokenTimes = "any-token-time",
        /// Accepts tokens for other servers.
        IgnoresAudience = "any-audience",
        /// Accepts tokens that name another issuer.
        IgnoresTokenIssuer = "any-token-issuer",
        /// Accepts tokens with any signature.
        IgnoresSignature = "any-signature",
        /// Accepts tokens whose header says that they are not signed.
        AcceptsUnsignedTokens = "unsigned-token",
        /// Accepts the token in the query of the URL.
        AcceptsTokenInQuery = "token-in-query",
        /// Accepts tokens without the scopes that it demands.
        IgnoresScopes = "any-scope",
        /// Accepts any proof of possession, and none.
        IgnoresProofs = "any-dpop-proof",
        /// Sends a token that it has made up until the server refuses that.
        InventsToken = "invented-token",
        /// Looks for metadata at the root of the origin first, wherever it is said to be.
        TriesRootFirst = "root-metadata-first",
        /// Uses the metadata of another resource than the server.
        IgnoresResource = "any-resource",
        /// Uses the metadata of another issuer than the one that it asked for.
        IgnoresMetadataIssuer = "any-issuer",
        /// Accepts an authorization response of any issuer, or of none.
        IgnoresResponseIssuer = "any-iss",
        /// Goes on although the authorization server does not say that it supports PKCE.
        AssumesPkce = "assume-pkce",
        /// Uses any URL that metadata names, and follows redirects from there.
        UsesAnyUrl = "any-url",
        /// Gets the keys of the authorization server, wherever its metadata says that they are.
        GetsLinkedDocuments = "get-keys",
        /// Opens any URL of an authorization endpoint in the browser.
        OpensAnyUrl = "open-any-url",
        /// Opens such a URL by a command of a shell.
        OpensInShell = "open-in-shell",
        /// Sends its token wherever the server redirects a request to.
        SendsTokenOnRedirect = "token-on-redirect",
        /// Goes on without a client id when its registration is refused.
        IgnoresRefusedRegistration = "no-client-id",
        /// Registers again and again when its registration is refused.
        RetriesRegistration = "retry-registration",
        /// Signs in again and again when that fails.
        SignsInEndlessly = "endless-sign-in",
        /// Sends its token request to another authorization server of the same resource.
        MixesServers = "mix-servers",
        /// Accepts an authorization response with any `state`.
        IgnoresState = "any-state",
        /// Sends its token with POST alone.
        ForgetsToken = "token-on-post",
        /// Registers although it has a client id, or could use the URL of its metadata.
        AlwaysRegisters = "always-register",
        /// Uses its registration at another authorization server, too.
        ReusesRegistration = "reuse-registration",
        /// Authenticates at the token endpoint by another method than the one that it is registered for.
        OtherAuthMethod = "other-auth-method",
        /// Does not ask for more scopes when its token lacks some.
        NeverStepsUp = "no-step-up",
        /// Asks for more scopes as often as its token lacks some.
        StepsUpEndlessly = "endless-step-up",
        /// Asks only for the scopes that its token lacks, and so loses those that it has.
        ForgetsScopes = "forget-scopes",
        /// Sends no proof of possession (DPoP), although the authorization server supports it.
        IgnoresDpop = "no-dpop",
        /// Sends a token that is bound to a key as if it were not.
        SendsBoundTokenAsBearer = "dpop-as-bearer",
        /// Sends the same proof of possession with several requests.
        ReusesProof = "reuse-dpop-proof",
        /// Makes no new proof of possession when a nonce is demanded.
        IgnoresNonce = "ignore-dpop-nonce",
        /// The same where the MCP server demands a nonce, and not the authorization server.
        IgnoresServerNonce = "ignore-server-nonce",
        /// Sends the assertion of its context that has expired.
        SendsExpiredAssertion = "expired-assertion",
        /// Sends the assertion of its context that is for another audience.
        SendsForeignAssertion = "foreign-assertion",
        /// Sends a token request again when it is refused.
        RetriesGrant = "retry-grant",
        /// Asks by client credentials when another grant is refused.
        ChangesGrant = "change-grant",
        /// Does not get another token when its token has expired.
        NeverRenews = "no-renewal",
        /// Redeems its first refresh token again and again, whatever new ones it gets.
        KeepsRefreshToken = "old-refresh-token",
        /// Sends its refresh token to the MCP server.
        SendsRefreshToken = "refresh-token-as-bearer",
        /// Redeems a refresh token that it never got.
        AssumesRefreshToken = "assume-refresh-token",
        /// Looks for the metadata of the server only where its challenge says.
        SkipsWellKnown = "no-well-known",
        /// Looks for the metadata of an authorization server first where OpenID Connect has it.
        TriesOpenIdFirst = "openid-first",
        /// Looks for the metadata of an authorization server only where RFC 8414 has it.
        SkipsOpenId = "no-openid",
        /// Takes the URL of a server of 2025-03-26 with its path for its base URL.
        KeepsPath = "keep-path",
        /// Uses the default endpoints of 2025-03-26 without looking for metadata.
        AssumesEndpoints = "assume-endpoints",
        /// Asks for the metadata of 2025-03-26 without `MCP-Protocol-Version`.
        HidesVersion = "no-metadata-version",
        /// Refuses metadata whose resource is the server, written in another way.
        ComparesResourceAsText = "resource-as-text",
        /// Uses the URL of its metadata document as its id wherever it signs in.
        AssumesDocuments = "assume-documents",
        /// Registers at a URL that no metadata names.
        InventsRegistration = "invent-registration",
        /// Asks for the consent of the user as well where it gets its token without.
        AsksUser = "ask-user",
        /// Sends the assertion of its identity provider to the MCP server.
        SendsAssertion = "assertion-as-bearer",
    }
}

/// The transports on which a fault has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// On every transport.
    Everywhere,
    /// Where each message is a line.
    Lines,
    /// Where the peer is a process.
    Process,
    /// Over Streamable HTTP.
    Http,
    /// Over Streamable HTTP through a socket.
    Network,
}

impl Reach {
    /// Whether it includes a transport.
    #[must_use]
    pub fn covers(self, transport: TransportKind) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Lines => transport.is_lines(),
            // Behind a URL there is a process as well; only in process there is none.
            Self::Process => !matches!(transport, TransportKind::Duplex | TransportKind::Router),
            Self::Http => transport.is_http(),
            Self::Network => transport == TransportKind::Http,
        }
    }
}

impl Change {
    /// The word of the notation.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set",
            Self::Remove { .. } => "remove",
            Self::Retype { .. } => "retype",
            Self::Duplicate { .. } => "duplicate",
            Self::Error { .. } => "error",
            Self::Late { .. } => "late",
            Self::Answer { .. } => "answer",
            Self::Stray { .. } => "stray",
            Self::Flood { .. } => "flood",
            Self::Text(fault) => fault.word(),
            Self::Pad { .. } => "pad",
            Self::Banner { .. } => "banner",
            Self::Noise { .. } => "noise",
            Self::Status { .. } => "status",
            Self::Header { .. } => "header",
            Self::NoHeader { .. } => "no-header",
            Self::ContentType { .. } => "content-type",
            Self::Redirect { .. } => "redirect",
            Self::SessionId { .. } => "session-id",
            Self::Plain(plain) => plain.word(),
            Self::Parameter { value: Some(_), .. } => "parameter",
            Self::Parameter { value: None, .. } => "no-parameter",
            Self::GiveUp => "give-up",
            Self::Misbehavior(misbehavior) => misbehavior.word(),
        }
    }
}
