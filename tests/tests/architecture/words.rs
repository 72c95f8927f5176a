//! Identifiers and phrases that code, messages and docs must not use, each with its plain form.
//!
//! Only words that are never right are listed; those that are right in some contexts are left to review.

use crate::source::Violation;

/// Vague or metaphorical names, each with the plain one.
const IDENTIFIERS: [(&str, &str); 60] = [
    ("Teller", "FailureFormatter"),
    ("Told", "what was reported: `Report`, `Diagnostic`"),
    ("Said", "what was sent: `Message`, `Reply`"),
    ("Heard", "what was received: `ReceivedMessage`"),
    ("Asked", "`Request`, or `PendingRequest`"),
    ("Talk", "`Conversation`, qualified"),
    ("Came", "TestResult"),
    ("Played", "ScenarioRunResult"),
    ("Mute", "ProbeFailure"),
    ("Shelf", "LoadedCases"),
    ("Shelves", "TurnIndex"),
    ("Book", "CompiledContract, or what is indexed"),
    ("Edition", "CompiledContract"),
    ("Seat", "ClientSession"),
    ("Seats", "ClientSessions"),
    ("Face", "Identity"),
    ("Voice", "Outbound"),
    ("backstage", "mock_support"),
    ("sift", "filter_replayable"),
    ("Sieve", "filter_replayable"),
    ("babble", "send_invalid"),
    ("moody", "stateful_server"),
    ("Courier", "RequestSender"),
    ("Door", "HttpBackend"),
    ("Scribe", "Recorder, qualified"),
    ("Errand", "ClientTask"),
    ("Visitor", "ScriptedClient"),
    ("Kin", "Descendant"),
    ("Carrier", "Transport"),
    ("carrier", "transport"),
    ("carriers", "transports"),
    ("Complaint", "Diagnostic"),
    ("complaint", "diagnostic"),
    ("complaints", "diagnostics"),
    ("Lapse", "Misbehavior"),
    ("Outstaying", "Leftover"),
    ("Outstayed", "Lingered"),
    ("outstayed", "lingered"),
    ("gravest", "most_severe"),
    ("ventured", "test_violations"),
    ("Oddity", "what is odd about it"),
    ("Hall", "`Subscribers`"),
    ("Wishes", "`Filter`, qualified"),
    ("telling", "report"),
    ("told", "reported"),
    ("by_hand", "manual"),
    ("besides", "also"),
    ("anew", "again"),
    ("Leg", "TestedSide"),
    ("leg", "tested_side"),
    ("Surroundings", "Prerequisites"),
    ("unplayable", "invalid_test"),
    ("Flaw", "`Fault`, qualified"),
    ("Damage", "`Fault`, qualified"),
    ("damage", "fault"),
    ("everything_but", "reference_server_with"),
    ("note_if_unmade", "report_nothing_tested"),
    ("left_well", "client_exit"),
    ("took_part", "client_connected"),
    ("last_words", "exit status and stderr"),
];

/// Unidiomatic phrases, each with the idiomatic one; matched in lower case, in code, comments and prose.
const PHRASES: [(&str, &str); 30] = [
    ("is no valid", "is not a valid"),
    ("is no message", "is not a message"),
    ("is no target", "is not a target"),
    ("is no transport", "is not a transport"),
    ("is no key", "is not a key"),
    ("is no pattern", "is not a pattern"),
    ("is no url", "is not a URL"),
    ("is no json", "is not JSON"),
    ("are no valid", "are not valid"),
    ("held against", "validated against, or counts against"),
    ("of its own accord", "on its own, or unsolicited"),
    ("ended by itself", "exited on its own"),
    ("tells how far", "reports progress"),
    ("nothing stands here", "empty value"),
    ("stands elsewhere", "is elsewhere"),
    ("words for a shell", "arguments"),
    ("a side door", "a bypass"),
    ("side doors", "bypasses"),
    ("known false:", "the official suite fails this, but the specification allows it:"),
    ("besides,", "also:"),
    ("gravest", "most severe"),
    (" anew", " again"),
    (" complaint", "diagnostic"),
    ("is not there any more", "no longer exists"),
    ("any more than", "more than"),
    ("by the book", "as the specification says"),
    ("front door", "crate root"),
    ("whoever comes first", "the first one"),
    ("without an answer", "unanswered, or did not answer"),
    ("lets itself", "can be"),
];

/// Finds listed names and phrases in a text; names only in Rust code, outside of comments and strings.
pub(crate) fn listed_words(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut find = |word: &str, right: &str| {
            violations.push(Violation {
                path: path.to_owned(),
                line: number + 1,
                wrong: format!("has `{}`", word.trim()),
                right: right.to_owned(),
            });
        };
        for (word, right) in IDENTIFIERS {
            if is_code(path, line) && has_identifier(line, word) {
                find(word, right);
            }
        }
        let lower = line.to_lowercase();
        for (phrase, right) in PHRASES {
            if lower.contains(phrase) {
                find(phrase, right);
            }
        }
    }
    violations
}

fn is_code(path: &str, line: &str) -> bool {
    path.ends_with(".rs") && !line.trim_start().starts_with("//")
}

/// Whether a line has `word` as an identifier, or as a part of one in snake case.
fn has_identifier(line: &str, word: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        is_edge(before) && is_edge(after) && !in_string(line, at)
    })
}

/// Whether a position is inside a string literal of its line, which may quote the text of a peer.
fn in_string(line: &str, at: usize) -> bool {
    // A string on several lines or an escaped quote is misjudged, which has not mattered so far.
    line[..at].matches('"').count() % 2 == 1
}
