//! A server that misbehaves as it is told, written below our own server so that it can do what no good library does.
//!
//! What it says is in [`script`], as bytes in [`framed`]; [`lines`] says it over a byte stream, [`http`] and [`http_sse`]
//! over sockets. Up to the method it is told, it is a good server with one tool, in every revision.

pub mod framed;
pub mod http;
pub mod http_sse;
pub mod lines;
pub mod script;

use std::fmt;
use std::str::FromStr;

/// How the server misbehaves, and on which method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostile {
    /// What it does there.
    pub how: How,
    /// The method on which it does it; everything else it answers well.
    pub on: String,
}

impl Hostile {
    /// A server that misbehaves on one method.
    #[must_use]
    pub fn on(method: &str, how: How) -> Self {
        Self { how, on: method.to_owned() }
    }

    /// The arguments for the program `hostile-peer` that make it this server over its standard streams.
    #[must_use]
    pub fn arguments(&self) -> [String; 3] {
        ["stdio".to_owned(), self.how.to_string(), self.on.clone()]
    }
}

macro_rules! ways {
    ($($(#[$about:meta])* $name:ident $word:literal,)*) => {
        /// A way to misbehave.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum How { $($(#[$about])* $name,)* }

        impl fmt::Display for How {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$name => $word,)* })
            }
        }

        impl FromStr for How {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$name),)*
                    _ => Err(format!("there is no misbehaviour `{word}`")),
                }
            }
        }
    };
}

ways! {
    /// It does nothing wrong.
    Well "well",
    /// It never answers.
    Never "never",
    /// It answers under an id that no request has.
    WrongId "wrong-id",
    /// It answers with the id as a string.
    RetypedId "retyped-id",
    /// It answers with the id null.
    NullId "null-id",
    /// It answers without an id.
    NoId "no-id",
    /// It answers under an id that is a number beyond all bounds.
    HugeId "huge-id",
    /// It answers twice.
    Twice "twice",
    /// It prints a banner first.
    Banner "banner",
    /// It prints a line of its log first.
    LogLine "log-line",
    /// It prints a line of its log first that begins as a list does.
    BracketLog "bracket-log",
    /// It prints a line of its log first that is JSON.
    JsonLog "json-log",
    /// It prints a blank line first.
    BlankLine "blank-line",
    /// It colours the terminal first.
    Ansi "ansi",
    /// It colours its reply.
    AnsiReply "ansi-reply",
    /// It prints a page of HTML first; over HTTP, instead.
    Html "html",
    /// It says a word of plain text instead of the reply.
    Plain "plain",
    /// It says nothing at all instead of the reply.
    Empty "empty",
    /// It cuts its reply off.
    TruncatedJson "truncated-json",
    /// It puts a byte into the reply that no UTF-8 has.
    InvalidUtf8 "invalid-utf8",
    /// It begins the reply with a byte order mark.
    Bom "bom",
    /// It begins the reply with NUL bytes.
    Nul "nul",
    /// It puts a NUL byte into a string of the reply.
    NulInside "nul-inside",
    /// It lays the reply out over several lines.
    ManyLines "many-lines",
    /// It puts the reply and a notification on one line.
    TwoOnALine "two-on-a-line",
    /// It frames the reply as language servers do, with a `Content-Length`.
    HeaderFraming "header-framing",
    /// Its reply has 100 MB.
    HugeReply "huge-reply",
    /// It says a million tiny notifications first.
    Flood "flood",
    /// It prints more lines of its log first than anybody keeps.
    Chatter "chatter",
    /// It says tiny notifications for ever.
    EndlessFlood "endless-flood",
    /// It says something that is no message for ever, without a newline.
    EndlessLine "endless-line",
    /// Its reply is nested ten thousand levels deep.
    Deep "deep",
    /// Its reply has each of its members twice.
    DuplicateMembers "duplicate-members",
    /// Its reply holds numbers beyond all bounds.
    HugeNumbers "huge-numbers",
    /// It says its reply a byte at a time.
    Trickle "trickle",
    /// It leaves before it has said anything.
    ExitAtOnce "exit-at-once",
    /// It leaves in the middle of its reply.
    ExitMidReply "exit-mid-reply",
    /// It leaves instead of answering.
    ExitInstead "exit-instead",
    /// It leaves when the handshake is over.
    ExitAfterHandshake "exit-after-handshake",
    /// It stays when its input ends.
    IgnoreEof "ignore-eof",
    /// It leaves, but a process that it has started holds its pipes.
    Grandchild "grandchild",
    /// It answers after the request was cancelled, and one that came later answered.
    AnswerAfterCancel "answer-after-cancel",
    /// It answers with HTTP 500 and a word of plain text.
    Status500 "500",
    /// It answers well, but calls its JSON plain text.
    WrongContentType "wrong-content-type",
    /// It answers well, but does not say what its body is.
    NoContentType "no-content-type",
    /// It answers a request with HTTP 202, which is for notifications.
    Accepted "202",
    /// It sends the client to where it is already.
    RedirectLoop "redirect-loop",
    /// It answers in chunks whose lengths are no numbers.
    WrongChunks "wrong-chunks",
    /// It breaks the connection off in the middle of a chunked body.
    CutChunks "cut-chunks",
    /// It announces a longer body than it sends.
    ShortBody "short-body",
    /// It accepts connections, and neither reads nor writes.
    Mute "mute",
    /// It resets the connection.
    Reset "reset",
    /// It closes the connection instead of answering.
    Hangup "hangup",
    /// It answers with something that is no HTTP.
    NoHttp "no-http",
    /// It speaks TLS.
    Tls "tls",
    /// It says headers for ever.
    EndlessHead "endless-head",
    /// It begins its headers, and does not go on.
    SlowHead "slow-head",
    /// It ends the event stream before the reply.
    StreamEndsEarly "stream-ends-early",
    /// It leaves the event stream open after the reply.
    StreamNeverEnds "stream-never-ends",
    /// It keeps the event stream alive with comments for ever, without a reply.
    EndlessComments "endless-comments",
    /// Its events are fields of which nobody has heard.
    UnknownFields "unknown-fields",
}
