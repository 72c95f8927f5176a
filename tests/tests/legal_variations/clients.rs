//! The variations of clients, in the notation of faults.

/// What a client does that few do, although the specification allows it.
pub(crate) struct ClientVariation {
    pub(crate) name: &'static str,
    /// Why it is allowed.
    pub(crate) allowed_by: &'static str,
    pub(crate) faults: &'static [&'static str],
}

const fn client(
    name: &'static str,
    allowed_by: &'static str,
    faults: &'static [&'static str],
) -> ClientVariation {
    ClientVariation { name, allowed_by, faults }
}

const OPEN: &str = "basic: params are objects that may have any further members";
const META: &str = "basic#_meta: keys with a prefix of one's own are allowed";
const LIFECYCLE: &str = "basic/lifecycle#initialization: the request may say so";
const HTTP: &str = "basic/transports: HTTP allows it (RFC 9110)";
const TOKEN: &str = "basic/utilities/progress: a token is any string or whole number";

/// The scenarios in which they are shown.
pub(crate) const SCENARIOS: [&str; 3] = ["initialize", "tools_call", "client-pages"];

pub(crate) static CLIENTS: &[ClientVariation] = &[
    client(
        "further members in params",
        OPEN,
        &[r#"set:tools/list:/com.example~1x:[null]"#, r#"set:tools/call:/com.example~1x:{}"#],
    ),
    client("metadata of its own", META, &[r#"set:tools/list:/_meta/com.example~1trace:{"a":[]}"#]),
    client(
        "unknown capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/com.example~1dance:{}"#],
    ),
    client(
        "experimental capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/experimental:{"dance":{"steps":3}}"#],
    ),
    client(
        "details of the implementation",
        LIFECYCLE,
        &[
            r#"set:initialize:/clientInfo/title:"A client""#,
            r#"set:initialize:/clientInfo/websiteUrl:"https://client.example/a?b#c""#,
        ],
    ),
    client("a progress token that is 0", TOKEN, &[r#"set:tools/call:/_meta/progressToken:0"#]),
    client("a progress token that is empty", TOKEN, &[r#"set:tools/call:/_meta/progressToken:"""#]),
    client("a long request", "no page limits the size of a message", &["pad:tools/call:100000"]),
    client(
        "a late request",
        "no page says when a client sends its requests",
        &["late:tools/list:300ms"],
    ),
    client(
        "media types in the other order",
        HTTP,
        &["header:tools/list:Accept:text/event-stream, application/json"],
    ),
    client(
        "weights of media types",
        HTTP,
        &["header:tools/list:Accept:application/json;q=0.9,text/event-stream;q=0.8"],
    ),
    client(
        "further media types",
        HTTP,
        &["header:tools/list:Accept:text/html, application/json, text/event-stream, */*;q=0.1"],
    ),
    client("a charset", HTTP, &["content-type:tools/list:application/json; charset=utf-8"]),
    client("a media type in upper case", HTTP, &["content-type:tools/list:APPLICATION/JSON"]),
    client(
        "further headers",
        HTTP,
        &["header:tools/list:X-Odd:a, \"b\"; c=d", "header:tools/list:User-Agent:odd (client) 1.0"],
    ),
    client(
        "further members in the first request",
        OPEN,
        &[r#"set:initialize:/com.example~1x:"a""#, r#"set:initialize:/_meta/com.example~1y:[{}]"#],
    ),
    client(
        "metadata of notifications",
        META,
        &[r#"set:notifications/initialized:/_meta/com.example~1z:null"#],
    ),
    client(
        "roots without changes",
        "client/roots#capabilities: `listChanged` is optional",
        &["set:initialize:/capabilities/roots:{}"],
    ),
    client(
        "further members in capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/sampling:{"com.example/model":"large"}"#],
    ),
    client(
        "an implementation with any version",
        LIFECYCLE,
        &[r#"set:initialize:/clientInfo/version:"\u03b2 (unknown), 1..2+x""#],
    ),
    client(
        "an implementation with any name",
        LIFECYCLE,
        &[r#"set:initialize:/clientInfo/name:"\u00e9 \ud83e\udd80 \"<b>\" \\ /""#],
    ),
    client(
        "icons of the implementation",
        LIFECYCLE,
        &[
            r#"set:initialize:/clientInfo/icons:[{"src":"data:image/png;base64,AAAA","mimeType":"image/png","sizes":["48x48","any"]}]"#,
        ],
    ),
    client("a progress token below 0", TOKEN, &["set:tools/call:/_meta/progressToken:-7"]),
    client(
        "a progress token of any characters",
        TOKEN,
        &[r#"set:tools/call:/_meta/progressToken:"\u0000\ud83e\udd80/~\"""#],
    ),
    client(
        "parameters of media types",
        HTTP,
        &["header:tools/list:Accept:application/json; charset=utf-8, text/event-stream; x=\"a,b\""],
    ),
    client(
        "accepted media types in upper case",
        HTTP,
        &["header:tools/list:Accept:APPLICATION/JSON,Text/Event-Stream"],
    ),
    client(
        "blanks in the content type",
        HTTP,
        &["content-type:tools/list:application/json ; charset=\"UTF-8\""],
    ),
    client(
        "cookies and languages",
        HTTP,
        &[
            "header:tools/list:Cookie:a=b; c=\"d\"",
            "header:tools/list:Accept-Language:fr-CH, fr;q=0.9, *;q=0.5",
            "header:tools/list:Accept-Encoding:identity",
        ],
    ),
    client(
        "the version in a header of the first request",
        "basic/transports#protocol-version-header: all requests after the first one need it; the first one may have it",
        &["header:initialize:MCP-Protocol-Version:2025-11-25"],
    ),
];
