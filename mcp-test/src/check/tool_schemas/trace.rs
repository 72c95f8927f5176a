//! Reading a whole trace by the schemas of the tools that are listed in it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::listed::Tool;
use super::{Patience, ToolSchemas, tools_in};
use crate::check::judge::{Alike, is_elided};
use crate::check::shapes::{Exchanges, Place};
use crate::check::{Finding, Severity, ToolJudgement};
use crate::expect::words;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{Connection, Event, Party, Seq, Trace, What};
use crate::wire::{Id, Message, Request, Response};

/// How many findings of one severity are told of a trace.
const MOST: usize = 50;

/// Judges what `who` lists, calls with, and returns.
pub(in crate::check) fn judge(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(Connection) -> Revision,
) -> ToolJudgement {
    judge_within(Patience::default(), trace, who, revisions)
}

/// Judges as long as there is patience, which all connections share.
pub(super) fn judge_within(
    patience: Patience,
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(Connection) -> Revision,
) -> ToolJudgement {
    let mut judge = Judge {
        who,
        exchanges: Exchanges::new(revisions),
        connections: BTreeMap::new(),
        judgement: ToolJudgement::default(),
        alike: Alike::default(),
        more: BTreeMap::new(),
        patience,
        over: Vec::new(),
    };
    for event in &trace.events {
        match &event.what {
            What::HttpRequest { headers, .. } => judge.exchanges.request(event, headers),
            What::Message { reading, .. } => {
                reading.messages().for_each(|message| judge.message(event, message));
            }
            _ => {}
        }
    }
    judge.told(is_elided(trace))
}

struct Judge<'a> {
    who: Party,
    exchanges: Exchanges<'a>,
    connections: BTreeMap<Connection, Conversation>,
    judgement: ToolJudgement,
    alike: Alike,
    /// How many findings were not told, since there were enough of their severity.
    more: BTreeMap<Severity, usize>,
    patience: Patience,
    /// Where it ran out.
    over: Vec<Seq>,
}

/// One connection, as far as it has been read.
#[derive(Default)]
struct Conversation {
    tools: Option<ToolSchemas>,
    asked: HashMap<(Seq, Id), Asked>,
}

/// A request that has to do with tools.
enum Asked {
    /// For a page of the list, the first one or a later one.
    List { first: bool },
    /// A call of a tool, as it was listed then.
    Call(Arc<Tool>),
}

impl Judge<'_> {
    fn message(&mut self, event: &Event, message: &Message) {
        let place = self.exchanges.place(event, message);
        match message {
            Message::Request(request) if event.party == Party::Client => {
                self.asked(event, request, &place);
            }
            Message::Response(response) if event.party == Party::Server => {
                self.answered(event, response, &place);
            }
            _ => {}
        }
    }

    fn asked(&mut self, event: &Event, request: &Request, place: &Place) {
        let param = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
        let conversation = self.connections.entry(event.connection).or_default();
        let asked = match request.method.as_str() {
            "tools/list" => Asked::List { first: param("cursor").is_none() },
            "tools/call" => {
                let name = param("name").and_then(Value::as_str);
                let listed = conversation.tools.as_ref();
                let tool = name.zip(listed).and_then(|(name, tools)| tools.tool(name)).cloned();
                let Some(tool) = tool else { return };
                if self.who == Party::Client && !event.deliberate {
                    self.judgement.judged += 1;
                    let found = tool.called(param("arguments"), place.revision, &mut self.patience);
                    self.find(found, &[event.seq]);
                }
                Asked::Call(tool)
            }
            _ => return,
        };
        let conversation = self.connections.entry(event.connection).or_default();
        conversation.asked.insert((event.seq, request.id.clone()), asked);
    }

    fn answered(&mut self, event: &Event, response: &Response, place: &Place) {
        let Some(request) = &place.answers else { return };
        let conversation = self.connections.entry(event.connection).or_default();
        let by_peer = event.party == self.who;
        let result = &response.result;
        let asked = conversation.asked.remove(&(request.seq, response.id.clone()));
        let (found, judged) = match asked {
            Some(Asked::List { first }) => {
                let tools = &mut conversation.tools;
                let tools = tools.get_or_insert_with(|| ToolSchemas::new(place.revision));
                if first {
                    tools.begin_at(place.revision);
                }
                if !by_peer {
                    for (_, listing) in tools_in(result) {
                        tools.take(&listing);
                    }
                    return;
                }
                let schemas = tools_in(result).map(|(_, listing)| listing.schemas()).sum();
                (tools.judge(result, &mut self.patience), schemas)
            }
            Some(Asked::Call(tool)) if by_peer => {
                let judged = usize::from(tool.promises(result));
                (tool.returned(result, place.revision, &mut self.patience), judged)
            }
            _ => return,
        };
        self.judgement.judged += judged;
        self.find(found, &[request.seq, event.seq]);
    }

    fn find(&mut self, findings: Vec<Finding>, evidence: &[Seq]) {
        if self.over.is_empty() && self.patience.has_left_out() {
            self.over = evidence.to_vec();
        }
        for finding in findings {
            let told = &mut self.judgement.findings;
            if told.iter().filter(|it| it.severity == finding.severity).count() >= MOST {
                *self.more.entry(finding.severity).or_default() += 1;
            } else if self.alike.admits(&finding, told.len()) {
                told.push(finding.evidence_all(evidence.iter().copied()));
            }
        }
    }

    /// What was found, with the number of what is not told.
    fn told(self, elided: bool) -> ToolJudgement {
        let Self { mut judgement, alike, more, patience, over, .. } = self;
        let findings = &mut judgement.findings;
        alike.count(findings, elided);
        for (severity, more) in more {
            let last = findings.iter_mut().rfind(|finding| finding.severity == severity);
            let Some(last) = last else { continue };
            let more = format!("{} about the schemas of tools", words::count(more, "more finding"));
            last.hint = Some(match last.hint.take() {
                Some(hint) => format!("{hint}\n{more}"),
                None => more,
            });
        }
        findings.extend(patience.told().map(|finding| finding.evidence_all(over)));
        judgement
    }
}
