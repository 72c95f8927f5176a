//! A server that misbehaves on request, written without our own server so that it can do what no good library does.
//!
//! Its messages are in [`script`], their bytes in [`framed`]; [`lines`] sends them over a byte stream, [`http`] and
//! [`http_sse`] over sockets. [`client`] is a client that misbehaves. [`closing`] closes connections in front of another server. On all methods but one it is a good server with one tool, in every revision.

pub mod client;
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

/// In the place of a method: any request of HTTP, whatever it is.
pub const ANY: &str = "*";

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
    ($(#[doc = $about:literal] $name:ident $word:literal,)*) => {
        /// What the server does on the method.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Behavior { $(#[doc = $about] $name,)* }

        impl Behavior {
            /// What it does, in a sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)* }
            }
        }

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
    /// It answers with an empty array.
    EmptyArray "empty-array",
    /// It answers with an empty object.
    EmptyObject "empty-object",
    /// It answers with a number.
    Number "number",
    /// It answers with null.
    Null "null",
    /// It answers with a string.
    Text "string",
    /// It answers with a batch, at a revision without batches.
    Batch "batch",
    /// It answers in UTF-16, with a byte order mark.
    Utf16 "utf-16",
    /// It answers in UTF-16, without a byte order mark.
    Utf16WithoutMark "utf-16-without-mark",
    /// It answers in UTF-32.
    Utf32 "utf-32",
    /// It answers with random bytes.
    RandomBytes "random-bytes",
    /// It answers with random bytes, and no newline.
    RandomWithoutNewline "random-without-newline",
    /// It answers with a compressed message.
    Compressed "compressed",
    /// It prints a line of its log first that is in Latin-1.
    Latin1Log "latin-1-log",
    /// It prints lines of its log forever.
    EndlessLog "endless-log",
    /// It prints blank lines forever.
    EndlessBlankLines "endless-blank-lines",
    /// It sends NUL bytes forever.
    EndlessNul "endless-nul",
    /// It sends replies with an id that no request has forever.
    EndlessReplies "endless-replies",
    /// It sends requests with one and the same id forever.
    EndlessRequests "endless-requests",
    /// It writes to its standard error forever.
    EndlessStderr "endless-stderr",
    /// It writes a megabyte without a newline to its standard error first.
    LongStderr "long-stderr",
    /// It answers with an id of a megabyte.
    LongId "long-id",
    /// It sends a request whose method has a megabyte first.
    LongMethod "long-method",
    /// It answers with an error whose message has a megabyte.
    LongError "long-error",
    /// It lists a tool whose name has a megabyte.
    LongName "long-name",
    /// It lists a tool whose name controls the terminal.
    ControlName "control-name",
    /// It answers with an error whose message controls the terminal.
    ControlError "control-error",
    /// It answers with both a result and an error.
    ResultAndError "result-and-error",
    /// It answers with neither a result nor an error.
    NoResult "no-result",
    /// It answers with an error that is a string.
    TextError "text-error",
    /// It answers with an error without a code.
    NoCode "no-code",
    /// It answers with an error whose code is a string.
    TextCode "text-code",
    /// It answers with an error whose code is a fraction.
    FractionCode "fraction-code",
    /// It answers with an error whose code exceeds 64 bits.
    HugeCode "huge-code",
    /// It answers as JSON-RPC 1.0.
    OldJsonRpc "old-json-rpc",
    /// It answers without `jsonrpc`.
    NoJsonRpc "no-json-rpc",
    /// It answers with the version of JSON-RPC as a number.
    NumberJsonRpc "number-json-rpc",
    /// It answers with an id that is an object.
    ObjectId "object-id",
    /// It answers with the id as a fraction.
    FractionId "fraction-id",
    /// It answers with `true` as id.
    TrueId "true-id",
    /// It answers with a request under the id of the request.
    Echo "echo",
    /// Its result is an array.
    ArrayResult "array-result",
    /// Its result is null.
    NullResult "null-result",
    /// Its result is a string.
    TextResult "text-result",
    /// Its result is empty.
    EmptyResult "empty-result",
    /// Its list is an object.
    ObjectList "object-list",
    /// Its list contains null.
    NullItem "null-item",
    /// It lists a tool without a name.
    NoName "no-name",
    /// It lists a tool whose name is a number.
    NumberName "number-name",
    /// It lists a tool twice.
    DuplicateName "duplicate-name",
    /// It lists a tool without an input schema.
    NoSchema "no-schema",
    /// It lists a tool whose input schema is null.
    NullSchema "null-schema",
    /// It lists a tool whose input schema is an array.
    ArraySchema "array-schema",
    /// It lists a tool whose input schema refers to itself.
    RecursiveSchema "recursive-schema",
    /// It lists a tool whose input schema refers to a URL.
    RemoteSchema "remote-schema",
    /// It lists a tool whose input schema refers to a file.
    FileSchema "file-schema",
    /// It lists a tool whose input schema has a pattern that is slow to match.
    SlowPattern "slow-pattern",
    /// It lists a tool whose input schema has an invalid pattern.
    WrongPattern "wrong-pattern",
    /// It lists a tool whose input schema is nested two hundred levels deep.
    DeepSchema "deep-schema",
    /// Its list refers to the same next page forever.
    SameCursor "same-cursor",
    /// Its cursor is a number.
    NumberCursor "number-cursor",
    /// Its `_meta` is a string.
    TextMeta "text-meta",
    /// It sends progress for a token that it was never given first.
    UnknownProgress "unknown-progress",
    /// It sends a notification with an id first.
    NotificationWithId "notification-with-id",
    /// It sends a notification that no revision has first.
    UnknownNotification "unknown-notification",
    /// It sends a request that no revision has first.
    UnknownRequest "unknown-request",
    /// It sends a request for which the client has no capability first.
    Undeclared "undeclared",
}
