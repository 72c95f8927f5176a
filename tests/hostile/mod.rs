//! A server that misbehaves on request, written without our own server so that it can do what no good library does.
//!
//! Its messages are in [`script`], their bytes in [`framed`]; [`lines`] sends them over a byte stream, [`http`] and
//! [`http_sse`] over sockets. [`closing`] closes connections in front of another server. On all methods but one it is a good server with one tool, in every revision.

pub mod closing;
pub mod framed;
pub mod http;
pub mod http_sse;
pub mod lines;
pub mod script;

use std::fmt;
use std::str::FromStr;

/// A server that misbehaves on one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostile {
    /// What it does on that method.
    pub behavior: Behavior,
    /// The method; it answers all others correctly.
    pub on: String,
}

impl Hostile {
    /// A server that misbehaves on one method.
    #[must_use]
    pub fn on(method: &str, behavior: Behavior) -> Self {
        Self { behavior, on: method.to_owned() }
    }

    /// The arguments of the program `hostile-peer` for this server over standard streams.
    #[must_use]
    pub fn arguments(&self) -> [String; 3] {
        ["stdio".to_owned(), self.behavior.to_string(), self.on.clone()]
    }
}

macro_rules! behaviors {
    ($($(#[$about:meta])* $name:ident $word:literal,)*) => {
        /// What the server does on the method.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Behavior { $($(#[$about])* $name,)* }

        impl fmt::Display for Behavior {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$name => $word,)* })
            }
        }

        impl FromStr for Behavior {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$name),)*
                    _ => Err(format!("unknown misbehavior `{word}`")),
                }
            }
        }
    };
}

behaviors! {
    /// It does nothing wrong.
    Well "well",
    /// It never answers.
    Never "never",
    /// It answers with an id that no request has.
    WrongId "wrong-id",
    /// It answers with the id as a string.
    RetypedId "retyped-id",
    /// It answers with the id null.
    NullId "null-id",
    /// It answers without an id.
    NoId "no-id",
    /// It answers with an id that is a huge number.
    HugeId "huge-id",
    /// It answers twice.
    Twice "twice",
    /// It prints a banner first.
    Banner "banner",
    /// It prints a line of its log first.
    LogLine "log-line",
    /// It prints a line of its log first that starts like a list.
    BracketLog "bracket-log",
    /// It prints a line of its log first that is JSON.
    JsonLog "json-log",
    /// It prints a blank line first.
    BlankLine "blank-line",
    /// It prints terminal colors first.
    Ansi "ansi",
    /// It prints its reply in color.
    AnsiReply "ansi-reply",
    /// It prints a page of HTML first; over HTTP, instead.
    Html "html",
    /// It sends plain text instead of the reply.
    Plain "plain",
    /// It sends nothing instead of the reply.
    Empty "empty",
    /// It truncates its reply.
    TruncatedJson "truncated-json",
    /// It puts a byte into the reply that is not valid UTF-8.
    InvalidUtf8 "invalid-utf8",
    /// It starts the reply with a byte order mark.
    Bom "bom",
    /// It starts the reply with NUL bytes.
    Nul "nul",
    /// It puts a NUL byte into a string of the reply.
    NulInside "nul-inside",
    /// It spreads the reply over several lines.
    ManyLines "many-lines",
    /// It puts the reply and a notification on one line.
    TwoOnALine "two-on-a-line",
    /// It frames the reply as language servers do, with a `Content-Length`.
    HeaderFraming "header-framing",
    /// Its reply has 100 MB.
    HugeReply "huge-reply",
    /// It sends a million tiny notifications first.
    Flood "flood",
    /// It prints more lines of its log first than a trace keeps.
    Chatter "chatter",
    /// It sends tiny notifications forever.
    EndlessFlood "endless-flood",
    /// It sends something that is not a message forever, without a newline.
    EndlessLine "endless-line",
    /// Its reply is nested ten thousand levels deep.
    Deep "deep",
    /// Its reply has each of its members twice.
    DuplicateMembers "duplicate-members",
    /// Its reply contains huge numbers.
    HugeNumbers "huge-numbers",
    /// Its reply contains four million zeros.
    Zeros "zeros",
    /// Its reply contains two million objects.
    Objects "objects",
    /// It lists a hundred thousand tools.
    ManyTools "many-tools",
    /// It lists a tool with an enumeration of 400,000 numbers.
    HugeEnum "huge-enum",
    /// Its list has pages without end, each larger than the one before.
    GrowingPages "growing-pages",
    /// Its reply contains half of a surrogate pair.
    LoneSurrogate "lone-surrogate",
    /// It sends its reply one byte at a time.
    Trickle "trickle",
    /// It sends its reply without a newline at the end.
    NoNewline "no-newline",
    /// It sends its reply with a carriage return at the end, and no newline.
    CarriageReturn "carriage-return",
    /// It sends its reply one byte at a time, without a newline at the end.
    TrickleNoNewline "trickle-no-newline",
    /// It sends half of its reply.
    HalfALine "half-a-line",
    /// It exits before it has sent anything.
    ExitAtOnce "exit-at-once",
    /// It exits in the middle of its reply.
    ExitMidReply "exit-mid-reply",
    /// It exits instead of answering.
    ExitInstead "exit-instead",
    /// It exits after the handshake.
    ExitAfterHandshake "exit-after-handshake",
    /// It keeps running when its input ends.
    IgnoreEof "ignore-eof",
    /// It exits, but a process that it started holds its pipes.
    Grandchild "grandchild",
    /// It answers a cancelled request after a later one.
    AnswerAfterCancel "answer-after-cancel",
    /// It answers with HTTP 500 and plain text.
    Status500 "500",
    /// It answers correctly, but declares its JSON as plain text.
    WrongContentType "wrong-content-type",
    /// It answers correctly, but without a `Content-Type`.
    NoContentType "no-content-type",
    /// It answers a request with HTTP 202, which is for notifications.
    Accepted "202",
    /// It redirects the client to the same URL.
    RedirectLoop "redirect-loop",
    /// It answers in chunks whose sizes are not numbers.
    WrongChunks "wrong-chunks",
    /// It breaks the connection off in the middle of a chunked body.
    CutChunks "cut-chunks",
    /// It sends its body in chunks, and announces a length as well.
    TwoLengths "two-lengths",
    /// It announces a longer body than it sends.
    ShortBody "short-body",
    /// It accepts connections, and neither reads nor writes.
    AcceptsOnly "mute",
    /// It resets the connection.
    Reset "reset",
    /// It closes the connection instead of answering.
    Hangup "hangup",
    /// It answers with something that is not HTTP.
    NoHttp "no-http",
    /// It speaks TLS.
    Tls "tls",
    /// It sends headers forever.
    EndlessHead "endless-head",
    /// It starts its headers, and does not continue.
    SlowHead "slow-head",
    /// It ends the event stream before the reply.
    StreamEndsEarly "stream-ends-early",
    /// It leaves the event stream open after the reply.
    StreamNeverEnds "stream-never-ends",
    /// It sends comments on the event stream forever, without a reply.
    EndlessComments "endless-comments",
    /// Its events have unknown fields.
    UnknownFields "unknown-fields",
}
