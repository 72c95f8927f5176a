//! Answers the messages of clients: from a case, with what the contract implies, or with a refusal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use mcp_test_core::json::{Object, Value};
use mcp_test_core::server::{Answer, Call, ClientMessage};
use mcp_test_core::spec::{self, LISTEN, Side};

use super::client_session::{ChosenTurn, ClientSession, SessionSlot, SessionTable};
use super::compiled_contract::CompiledContract;
use super::event::{MatchedMessage, MockEvent};
use super::incoming::Incoming;
use super::log::{MockLog, Watcher};
use super::resume_point::ResumePoint;
use super::turn_player::TurnPlayer;
use super::unmatched::UnmatchedMessage;

/// The handler of all methods of a mock.
pub(super) struct Responder {
    current: RwLock<Arc<CompiledContract>>,
    sessions: SessionTable,
    clients: AtomicU64,
    pub(super) log: Arc<MockLog>,
}

impl Responder {
    pub(super) fn new(contract: CompiledContract, watcher: Option<Watcher>) -> Self {
        Self {
            current: RwLock::new(Arc::new(contract)),
            sessions: SessionTable::default(),
            clients: AtomicU64::new(0),
            log: Arc::new(MockLog::new(watcher)),
        }
    }

    pub(super) fn contract(&self) -> Arc<CompiledContract> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves another contract from now on.
    pub(super) fn replace(&self, contract: CompiledContract) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(contract);
        // A session holds its contract: without the old sessions, their clients get new ones with the new contract.
        self.sessions.clear();
    }

    /// Whether the contract handles a message; the server itself keeps subscriptions that no case has open.
    pub(super) fn accepts(&self, message: &ClientMessage) -> bool {
        message.method().is_some_and(|method| method != LISTEN || self.contract().has(method))
    }

    pub(super) async fn answer(&self, call: &Call) -> Answer {
        let Some(session) = self.session(call) else { return call.built_in() };
        let incoming = Incoming::new(call.method(), call.params(), call.revision());
        if !exists(call) {
            return self.refuse(&incoming, &session);
        }
        // Before a turn is chosen: the `requestState` names the turn that this request continues.
        if let Some(answer) = self.resume(call, &session).await {
            return answer;
        }
        let Some(chosen) = session.choose(&incoming) else {
            return self.answer_unmatched(call, &incoming, &session);
        };
        let line = &session.contract.turn(chosen.at).incoming;
        self.log.count(line);
        let matched = MatchedMessage::new(session.number, incoming.summary(), line);
        let player = TurnPlayer::new(&self.log, &session, &chosen, call);
        self.log.record(MockEvent::matched(matched, chosen.differences));
        if call.id().is_some() {
            return player.answer(call, 0).await;
        }
        // A notification has no reply, so the client does not wait for the actions.
        player.advance(0);
        self.play_openings(call, &session);
        Answer::already_sent()
    }

    /// The session of the client that calls.
    fn session(&self, call: &Call) -> Option<Arc<ClientSession>> {
        let create = || {
            // Relaxed is enough: the numbers only have to be unique.
            let number = self.clients.fetch_add(1, Ordering::Relaxed);
            ClientSession::new(number, self.contract())
        };
        if !call.is_alone() {
            return Some(call.state(|| SessionSlot::new(create()))?.session(self.contract()));
        }
        // Each of these requests is a conversation of its own: only the identity of the client relates them.
        let name = call.client_info().map(Value::to_string).unwrap_or_default();
        Some(self.sessions.find(&name, call.method() == "server/discover", create))
    }

    /// Continues a case that asked the client for input, if this request contains it.
    async fn resume(&self, call: &Call, session: &Arc<ClientSession>) -> Option<Answer> {
        let point = ResumePoint::parse(call.request_state()?)?;
        if !point.is_in(&session.contract, call.method()) {
            return None;
        }
        let values = session.values(point.at.conversation);
        let chosen = ChosenTurn { at: point.at, values, differences: Vec::new() };
        let mut player = TurnPlayer::new(&self.log, session, &chosen, call);
        player.resume(call, &point)?;
        Some(player.answer(call, point.action + 1).await)
    }

    /// Once the client is initialized, sends the messages with which conversations begin before the client sends any.
    fn play_openings(&self, call: &Call, session: &Arc<ClientSession>) {
        if call.method() != "notifications/initialized" {
            return;
        }
        // Until `initialized`, a server SHOULD NOT send requests other than `ping` (basic/lifecycle, Initialization).
        for (number, conversation) in session.contract.conversations.iter().enumerate() {
            if !conversation.opening.is_empty() && conversation.revisions.contains(call.revision())
            {
                TurnPlayer::opening(&self.log, session, number, call).advance(0);
            }
        }
    }

    /// Answers a message that no case has.
    fn answer_unmatched(
        &self,
        call: &Call,
        incoming: &Incoming,
        session: &Arc<ClientSession>,
    ) -> Answer {
        if call.id().is_none() {
            // Every client sends these, so a contract need not list them.
            let usual = ["notifications/initialized", "notifications/cancelled"];
            if !usual.contains(&call.method()) {
                self.record_unmatched(incoming, session);
            }
            self.play_openings(call, session);
            return Answer::already_sent();
        }
        if let Some((answer, source)) = implied(call, &session.contract) {
            let message = incoming.summary();
            self.log.record(MockEvent::Implied { client: session.number, message, source });
            return answer;
        }
        self.refuse(incoming, session)
    }

    fn refuse(&self, incoming: &Incoming, session: &ClientSession) -> Answer {
        self.record_unmatched(incoming, session).error().into()
    }

    fn record_unmatched(
        &self,
        incoming: &Incoming,
        session: &ClientSession,
    ) -> Arc<UnmatchedMessage> {
        let unmatched = UnmatchedMessage::new(session.number, incoming, &session.contract);
        let unmatched = Arc::new(unmatched);
        self.log.record(MockEvent::Unmatched(Arc::clone(&unmatched)));
        unmatched
    }
}

/// Whether clients may send the method at the revision; one that MCP does not define is up to the contract.
fn exists(call: &Call) -> bool {
    let known = spec::method(call.method());
    known.is_none_or(|method| method.sent_by(Side::Client, call.revision()))
}

/// The answer that the contract implies although no case has it, and its source.
fn implied(call: &Call, contract: &CompiledContract) -> Option<(Answer, String)> {
    let method = call.method();
    let declared = || {
        let capability = spec::method(method)?.capability(call.revision())?;
        call.is_declared(capability).then_some(())
    };
    let acknowledged = || {
        let source = "the capability is declared, and no case has the method";
        Some((Value::from(Object::new()).into(), source.to_owned()))
    };
    match method {
        "ping" => Some((call.built_in(), "every server answers it".to_owned())),
        "initialize" | "server/discover" => {
            Some((call.built_in(), "inferred from the cases".to_owned()))
        }
        // The client sent something else than the cases that have the method: the refusal shows the difference.
        _ if contract.has(method) => None,
        "logging/setLevel" => {
            declared()?;
            call.set_log_level(call.param("level")?.as_str()?);
            acknowledged()
        }
        "resources/subscribe" | "resources/unsubscribe" => {
            declared()?;
            acknowledged()
        }
        _ => {
            // A list that no case has is inferred from the items that the cases use.
            let (result, source) = contract.lists().result(method, call.revision())?;
            declared()?;
            Some((result.into(), source))
        }
    }
}
