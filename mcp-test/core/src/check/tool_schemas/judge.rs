//! Judging a trace by the schemas of the tools that are listed in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::listed::Tool;
use super::{TimeBudget, ToolSchemas, tools_in};
use crate::check::recent_map::RecentMap;
use crate::check::repeat_filter::RepeatFilter;
use crate::check::walk::{EventJudge, JudgedEvent, TraceMessage};
use crate::check::{Finding, Severity, ToolJudgement};
use crate::expect::words;
use crate::json::Value;
use crate::spec::Requirement;
use crate::trace::{ConnectionId, Party, Position, Seq};
use crate::wire::{Message, Request};

/// How many findings of one severity are reported of a trace, so that advice does not displace what breaks a MUST.
const MOST: usize = 50;

/// Judges what one party lists, calls with and returns.
pub(in crate::check) struct ToolSchemaJudge {
    who: Party,
    /// Something was dropped from the trace.
    elided: bool,
    connections: BTreeMap<ConnectionId, Conversation>,
    judgement: ToolJudgement,
    repeats: RepeatFilter,
    /// How many findings were not reported, since there were enough of their severity.
    more: BTreeMap<Severity, usize>,
    budget: TimeBudget,
    /// The events at which it ran out.
    over: Vec<Seq>,
}

/// One connection, as far as it has been read.
#[derive(Default)]
struct Conversation {
    tools: Option<ToolSchemas>,
    requests: RecentMap<Position, ToolRequest>,
}

/// A request that has to do with tools.
enum ToolRequest {
    /// For a page of the list, the first one or a later one.
    List { first: bool },
    /// A call of a tool, as it was listed then.
    Call(Arc<Tool>),
}

impl EventJudge for ToolSchemaJudge {
    fn miss_parts(&mut self) {
        self.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        &self.judgement.findings
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        for message in messages {
            match message.message {
                Message::Request(request) if event.party == Party::Client => {
                    self.request(event, request, message);
                }
                Message::Response(response) if event.party == Party::Server => {
                    self.result(event, &response.result, message);
                }
                _ => {}
            }
        }
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.connections.remove(&connection);
    }
}

impl ToolSchemaJudge {
    /// A judge of what `who` lists, calls with and returns; all connections share the budget.
    pub(in crate::check) fn new(who: Party, budget: TimeBudget) -> Self {
        Self {
            who,
            elided: false,
            connections: BTreeMap::new(),
            judgement: ToolJudgement::default(),
            repeats: RepeatFilter::default(),
            more: BTreeMap::new(),
            budget,
            over: Vec::new(),
        }
    }

    fn request(&mut self, event: JudgedEvent<'_>, request: &Request, message: &TraceMessage<'_>) {
        let revision = message.revision.unwrap_or(event.opened_for);
        let param = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
        let conversation = self.connections.entry(event.connection).or_default();
        let kind = match request.method.as_str() {
            "tools/list" => ToolRequest::List { first: param("cursor").is_none() },
            "tools/call" => {
                let name = param("name").and_then(Value::as_str);
                let listed = conversation.tools.as_ref();
                let tool = name.zip(listed).and_then(|(name, tools)| tools.tool(name)).cloned();
                // A call before the first list, or of a tool with an ambiguous name, has no schema to be judged by.
                let Some(tool) = tool else { return };
                if self.who == Party::Client && !event.deliberate {
                    self.judgement.judged += 1;
                    let found = tool.called(param("arguments"), revision, &mut self.budget);
                    self.find(found, &[event.seq]);
                }
                ToolRequest::Call(tool)
            }
            _ => return,
        };
        // Looked up again, since `find` needs the whole judge.
        let conversation = self.connections.entry(event.connection).or_default();
        conversation.requests.insert(message.position, kind);
    }

    fn result(&mut self, event: JudgedEvent<'_>, result: &Value, message: &TraceMessage<'_>) {
        let Some(request) = message.request() else { return };
        let revision = message.revision.unwrap_or(event.opened_for);
        let conversation = self.connections.entry(event.connection).or_default();
        let by_peer = event.party == self.who;
        // A second answer to one request finds nothing here: the envelope rules report it.
        let kind = conversation.requests.remove(&request.position);
        let tested = &mut self.judgement.tested;
        let (found, judged) = match kind {
            Some(ToolRequest::List { first }) => {
                let tools = &mut conversation.tools;
                let tools = tools.get_or_insert_with(|| ToolSchemas::new(revision));
                if first {
                    tools.begin_at(revision);
                }
                // What mcp-test's own server lists is not judged, but the calls of the client are judged by it.
                if !by_peer {
                    for (_, listing) in tools_in(result) {
                        tools.take(&listing);
                    }
                    return;
                }
                let listings = || tools_in(result).map(|(_, listing)| listing);
                tested.extend(listings().flat_map(|it| it.tested(revision)));
                let schemas = listings().map(|listing| listing.schemas()).sum();
                (tools.judge(result, &mut self.budget), schemas)
            }
            Some(ToolRequest::Call(tool)) if by_peer => {
                let judged = usize::from(tool.promises(result));
                if judged > 0 {
                    tested.extend([
                        Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA,
                        Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA,
                    ]);
                }
                (tool.returned(result, revision, &mut self.budget), judged)
            }
            _ => return,
        };
        self.judgement.judged += judged;
        self.find(found, &[request.position.seq, event.seq]);
    }

    fn find(&mut self, findings: Vec<Finding>, evidence: &[Seq]) {
        // The message at which the budget ran out is the evidence that nothing was judged from there on.
        if self.over.is_empty() && self.budget.has_left_out() {
            self.over = evidence.to_vec();
        }
        for finding in findings {
            let kept = &mut self.judgement.findings;
            if kept.iter().filter(|it| it.severity == finding.severity).count() >= MOST {
                *self.more.entry(finding.severity).or_default() += 1;
            } else if self.repeats.admits(&finding, kept.len()) {
                kept.push(finding.evidence_all(evidence.iter().copied()));
            }
        }
    }

    /// Gives it another budget.
    pub(in crate::check) fn set_budget(&mut self, budget: TimeBudget) {
        self.budget = budget;
    }

    /// What was found, with the number of findings that are not reported.
    pub(in crate::check) fn into_judgement(self) -> ToolJudgement {
        let Self { mut judgement, repeats, elided, more, budget, over, .. } = self;
        let findings = &mut judgement.findings;
        repeats.count(findings, elided);
        for (severity, more) in more {
            let last = findings.iter_mut().rfind(|finding| finding.severity == severity);
            let Some(last) = last else { continue };
            let more = words::count(more, "more finding");
            last.add_hint(&format!("{more} about the schemas of tools"));
        }
        findings.extend(budget.into_finding().map(|finding| finding.evidence_all(over)));
        judgement
    }
}
