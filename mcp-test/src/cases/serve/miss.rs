//! What no case has: the refusal, which names the nearest case and the difference.

use std::sync::Arc;

use serde_json::json;

use super::edition::{At, Edition};
use super::event::brief;
use super::heard::Heard;
use super::line::Line;
use crate::cases::compare::Difference;
use crate::cases::{Case, CaseFile};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{self, Revision, Side, error_code};
use crate::wire::RpcError;

/// How many turns are held against what was said, in the search for the nearest.
const SEARCHED: usize = 1024;
/// How many names are listed.
const LISTED: usize = 8;
/// How many differences a message tells.
const TOLD: usize = 3;

/// Something that a client said and no case has.
#[derive(Debug, Clone)]
pub struct Miss {
    client: u64,
    what: String,
    why: String,
    code: i64,
    heard: Heard,
    nearest: Option<Nearest>,
    known: Vec<String>,
}

/// The case that comes nearest to something that no case has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Nearest {
    /// The file of the case.
    pub file: Arc<CaseFile>,
    /// The case.
    pub case: Arc<Case>,
    /// The key of the message in the case.
    pub key: String,
    /// The line where the message stands.
    pub line: usize,
    /// In what the client said something else.
    pub differences: Vec<Difference>,
}

impl Miss {
    pub(super) fn new(client: u64, heard: &Heard, edition: &Edition) -> Self {
        let what = brief(&heard.method, heard.name.as_deref());
        let this = Self {
            client,
            what,
            why: String::new(),
            code: error_code::INVALID_PARAMS,
            heard: heard.clone(),
            nearest: None,
            known: Vec::new(),
        };
        let (method, revision) = (&heard.method, heard.revision);
        if spec::method(method).is_some_and(|known| !known.sent_by(Side::Client, revision)) {
            let why = format!("clients send no `{method}` at {revision}");
            return Self { why, code: error_code::METHOD_NOT_FOUND, ..this };
        }
        if !edition.has(method) {
            let known: Vec<_> = edition.shelves.methods().collect();
            let hint = suggestion(words::closest(method, known.iter().copied()));
            let why = format!("no case has a `{}`{hint}", words::begun(method));
            return Self { why, code: error_code::METHOD_NOT_FOUND, ..this };
        }
        let candidates = edition.about(heard);
        if candidates.is_empty() {
            return this.without_candidates(edition);
        }
        let Some(nearest) = nearest(heard, &candidates, edition) else { return this };
        let why = format!("no case has this `{method}`; nearest is {}", nearest.in_words());
        Self { why, nearest: Some(nearest), ..this }
    }

    /// Nothing is known by the name, or it is known at other revisions.
    fn without_candidates(self, edition: &Edition) -> Self {
        let Heard { method, name, revision, .. } = &self.heard;
        let known = edition.shelves.names(method);
        let Some(name) = name.as_deref().filter(|name| !known.contains(name)) else {
            let why = format!("the cases with a `{method}` of this kind do not hold at {revision}");
            return Self { why, ..self };
        };
        let member = spec::method(method).and_then(|method| method.name_param);
        let hint = match words::closest(name, known.iter().copied()) {
            Some(near) => suggestion(Some(near)),
            None if known.is_empty() => String::new(),
            None => format!("; {} known", listed(&known)),
        };
        let shown = Value::from(name).short(words::SHOWN);
        let why = format!(
            "no case has a `{method}` with {shown} as `{}`{hint}",
            member.unwrap_or_default()
        );
        let known = known.into_iter().map(str::to_owned).collect();
        Self { why, known, ..self }
    }

    /// Which client said it, counted from 0.
    #[must_use]
    pub fn client(&self) -> u64 {
        self.client
    }

    /// What was said, in few words: `tools/call add`.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Its method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.heard.method
    }

    /// What was said, without what says nothing of what is wanted: `jsonrpc`, the id, how the client introduces itself.
    #[must_use]
    pub fn message(&self) -> &Value {
        self.heard.message()
    }

    /// The revision in which it was said.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.heard.revision
    }

    /// Why it was refused.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The case that comes nearest, if any has the method and speaks of the same thing.
    #[must_use]
    pub fn nearest(&self) -> Option<&Nearest> {
        self.nearest.as_ref()
    }

    /// About how many bytes it holds.
    pub(super) fn weight(&self) -> usize {
        let nearest = self.nearest.iter().flat_map(|nearest| &nearest.differences);
        self.heard.message().to_string().len() + nearest.map(Difference::weight).sum::<usize>()
    }

    pub(super) fn heard(&self) -> &Heard {
        &self.heard
    }

    /// The error that the client gets.
    pub(super) fn error(&self) -> RpcError {
        let error = RpcError::new(self.code, self.why.clone());
        if let Some(nearest) = &self.nearest {
            let differences: Vec<_> = nearest
                .differences
                .iter()
                .map(|difference| {
                    json!({ "at": difference.pointer.as_str(), "text": difference.to_string() })
                })
                .collect();
            let nearest = json!({
                "case": nearest.case.title(),
                "id": nearest.case.id,
                "at": format!("{}:{}", nearest.file.path, nearest.line),
                "differences": differences,
            });
            return error.with_data(json!({ "nearest": nearest }));
        }
        if self.known.is_empty() { error } else { error.with_data(json!({ "known": self.known })) }
    }
}

impl Nearest {
    pub(super) fn new(line: &Line, differences: Vec<Difference>) -> Self {
        Self {
            file: Arc::clone(&line.file),
            case: Arc::clone(&line.case),
            key: line.message().key.clone(),
            line: line.message().key_span.line,
            differences,
        }
    }

    /// The case, and the first differences.
    fn in_words(&self) -> String {
        let mut told: Vec<_> =
            self.differences.iter().take(TOLD).map(ToString::to_string).collect();
        let rest = self.differences.len().saturating_sub(TOLD);
        told.extend((rest > 0).then(|| format!("and {rest} more")));
        format!("{:?} ({}:{}): {}", self.case.title(), self.file.path, self.line, told.join("; "))
    }
}

/// The turn that is most like what was said.
fn nearest(heard: &Heard, candidates: &[At], edition: &Edition) -> Option<Nearest> {
    let likeness = |at: &At| edition.expected(*at).nearness(heard);
    let nearest = candidates.iter().take(SEARCHED).map(|at| (likeness(at), *at));
    // Of several that are alike, the first.
    let (_, at) = nearest.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let differences = edition.expected(at).differences(heard, &edition.chains[at.chain].values);
    Some(Nearest::new(&edition.turn(at).heard, differences))
}

fn suggestion(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn listed(names: &[&str]) -> String {
    let mut shown: Vec<_> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(LISTED);
    shown.extend((rest > 0).then(|| format!("{rest} more")));
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("{} {are}", words::list(shown, "and"))
}
