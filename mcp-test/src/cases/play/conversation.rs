//! The state of a conversation: the client, pending requests, and waiting for messages.

use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::client::wait::Step;
use mcp_test_core::client::{Options, Pending};
use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::scenario::{Connected, Ctx, Profile};
use mcp_test_core::spec::{Era, LISTEN, error_code};
use mcp_test_core::trace::Seq;
use mcp_test_core::wire::{Id, Request, RpcError};

use super::declared;
use super::roles::{CaseLine, Role, roles};
use super::stop::Stop;
use crate::cases::Values;

/// How long to wait when the awaited message is unlikely to come: a similar one has arrived, or the reply that follows it has
/// arrived on another stream.
const GRACE: Duration = Duration::from_secs(2);

/// How long to wait for the response to the GET before the conversation goes on without its stream.
const STREAM_OPENING: Duration = Duration::from_secs(1);

/// A request that the client has sent.
#[derive(Debug)]
pub(super) struct ClientRequest {
    /// The index of its line.
    pub(super) line: usize,
    pub(super) label: Option<Id>,
    pub(super) method: String,
    /// The id on the wire.
    pub(super) id: Id,
    /// `None` once the reply is being awaited, or no longer needed.
    pub(super) pending: Option<Pending>,
}

/// A request that the server has sent.
#[derive(Debug)]
pub(super) struct ServerRequest {
    pub(super) seq: Seq,
    pub(super) request: Request,
    /// The line that it matches, with the label there.
    pub(super) matched: Option<(usize, Id)>,
}

/// The conversation of a case, while it is played.
pub(super) struct CaseConversation<'a> {
    pub(super) client: Connected,
    pub(super) lines: &'a [CaseLine<'a>],
    pub(super) roles: Vec<Role>,
    /// The index of the current line.
    pub(super) at: usize,
    pub(super) values: Values,
    pub(super) strict: bool,
    /// Sends nothing but the messages of the case.
    pub(super) bare: bool,
    pub(super) client_requests: Vec<ClientRequest>,
    pub(super) server_requests: Vec<ServerRequest>,
    /// How many of the server's requests have been sorted.
    sorted: usize,
    /// Requests of the server that the case does not have.
    pub(super) unexpected: Vec<(Seq, String)>,
    /// Whether a stream for unsolicited messages is open.
    streams: bool,
}

/// The result of looking for a message.
pub(super) enum Lookup<T> {
    /// It has arrived.
    Found(T),
    /// A similar one has arrived.
    Similar,
    /// It has not arrived.
    Absent,
}

/// Why a message did not arrive.
pub(super) enum Missing {
    /// The reply that follows it in the case came first.
    Overtaken(String),
    /// The connection ended.
    Closed(String),
    /// The deadline passed.
    TimedOut(Duration, Seq),
}

impl<'a> CaseConversation<'a> {
    /// Opens a conversation: with the handshake, unless the case has one itself or needs none.
    pub(super) async fn open(
        ctx: &Ctx,
        lines: &'a [CaseLine<'a>],
        values: Values,
    ) -> Result<Self, Finding> {
        let bare = lines.first().is_some_and(|line| line.case.settings.bare);
        let roles = roles(lines);
        let has_handshake = roles.iter().any(Role::is_initialize);
        let options: Options = ctx.options().handlers(declared::handlers(lines));
        // The case has a handshake itself, or wants none: the client must not add one.
        let client = match bare || has_handshake {
            true => ctx.connect_uninitialized(options).await?,
            false => ctx.connect(options).await?,
        };
        let mut this = Self {
            client,
            lines,
            roles,
            at: 0,
            values,
            strict: ctx.profile() == Profile::Strict,
            bare,
            client_requests: Vec::new(),
            server_requests: Vec::new(),
            sorted: 0,
            unexpected: Vec::new(),
            streams: false,
        };
        if !bare && !has_handshake {
            this.open_stream().await;
        }
        Ok(this)
    }

    /// Opens the stream for unsolicited messages over Streamable HTTP, if the case has any. A server may refuse it (405 to the
    /// GET): then the messages that should come on it are missing.
    pub(super) async fn open_stream(&mut self) {
        let sends =
            |role: &Role| matches!(role, Role::ServerRequest(..) | Role::ServerNotification(_));
        // In the stateless era there is no such stream: `subscriptions/listen` takes its place.
        let has_stream = self.client.transport().is_http()
            && self.client.revision().era() == Era::Handshake
            && self.roles.iter().any(sends);
        if has_stream && !self.streams {
            self.streams = self.client.listen_within(STREAM_OPENING).await.unwrap_or(false);
        }
    }

    /// Sorts the server's new requests: those in the case are kept for their line, and others are refused, because the server
    /// may wait for an answer.
    pub(super) async fn sort_requests(&mut self) {
        let new: Vec<(Seq, Request)> = self
            .client
            .server_requests_after(self.sorted)
            .map(|(seq, request)| (seq, request.clone()))
            .collect();
        self.sorted += new.len();
        for (seq, request) in new {
            let is_it =
                |role: &Role| matches!(role, Role::ServerRequest(of, _) if *of == request.method);
            let to_come = self.roles[self.at..].iter().filter(|role| is_it(role)).count();
            let same = self.unclaimed_requests().filter(|it| it.request.method == request.method);
            if same.count() < to_come {
                self.server_requests.push(ServerRequest { seq, request, matched: None });
                continue;
            }
            // The methods in the case have no handler in the client, so that the server would wait forever.
            let is_answered_by_case = self.roles.iter().any(is_it);
            if is_answered_by_case && self.client.revision().has_server_requests() {
                let message = format!("the case has no further `{}`", request.method);
                let refusal = RpcError::new(error_code::METHOD_NOT_FOUND, message);
                self.client.answer(&request, Err(refusal)).await;
            }
            self.unexpected.push((seq, request.method));
        }
    }

    /// Waits for an unsolicited message at the current line.
    ///
    /// Earlier messages count. If the reply that follows it in the case has arrived, the message is missing, provided that both
    /// would come on one stream.
    pub(super) async fn until<T>(
        &mut self,
        mut found: impl FnMut(&mut Self) -> Lookup<T>,
    ) -> Result<T, Missing> {
        let mut deadline = self.client.deadline();
        let (mut is_near, mut is_late) = (false, false);
        loop {
            self.sort_requests().await;
            match found(self) {
                Lookup::Found(it) => return Ok(it),
                Lookup::Similar if !is_near => {
                    // It is probably the awaited one with a difference: waiting longer would only delay the report.
                    is_near = true;
                    deadline = deadline.min(Deadline::after(GRACE));
                }
                Lookup::Similar | Lookup::Absent => {}
            }
            if let Some(reply) = self.overtaken_by().filter(|_| !is_late) {
                // A stream keeps the order: what did not come before the reply will not come after it.
                if !self.has_other_stream() {
                    return Err(Missing::Overtaken(reply));
                }
                is_late = true;
                deadline = deadline.min(Deadline::after(GRACE));
            }
            match self.client.step(deadline).await {
                Step::Observed => {}
                Step::Closed => {
                    let how = self.client.end_reason().unwrap_or("the connection was closed");
                    return Err(Missing::Closed(how.to_owned()));
                }
                Step::TimedOut => {
                    let allotted = deadline.allotted().unwrap_or_default();
                    let awaited =
                        format!("what comes next, for {}", clock::format_duration(allotted));
                    return Err(Missing::TimedOut(
                        allotted,
                        self.client.record_deadline_fired(awaited),
                    ));
                }
            }
        }
    }

    /// Waits until a request is settled, and sorts the server's requests meanwhile.
    pub(super) async fn until_settled(&mut self, pending: &Pending) {
        while self.client.is_pending(pending) {
            self.sort_requests().await;
            if self.client.step_for(pending).await != Step::Observed {
                break;
            }
        }
        self.sort_requests().await;
    }

    /// The reply that overtook the awaited message: all requests whose replies are later in the case are settled.
    fn overtaken_by(&self) -> Option<String> {
        let mut later = self.client_requests.iter().filter(|request| {
            matches!(self.roles.get(request.line),
                Some(Role::ClientRequest { answered: Some(answered), .. }) if *answered > self.at)
        });
        let first = later.clone().next()?;
        // With several open requests, the message may belong to any of them.
        later.all(|request| !self.is_pending(request)).then(|| first.method.clone())
    }

    /// Whether a request of the client still waits for its reply.
    pub(super) fn is_pending(&self, request: &ClientRequest) -> bool {
        request.pending.as_ref().is_some_and(|pending| self.client.is_pending(pending))
    }

    /// The index of the client's request at a line.
    pub(super) fn request_at(&self, line: usize) -> Option<usize> {
        // In the order of their lines: that is the order in which they are sent.
        self.client_requests.binary_search_by_key(&line, |request| request.line).ok()
    }

    /// The server's requests that match no line yet.
    pub(super) fn unclaimed_requests(&self) -> impl Iterator<Item = &ServerRequest> {
        self.server_requests.iter().filter(|received| received.matched.is_none())
    }

    /// Whether the server may send messages on another stream than those of replies.
    fn has_other_stream(&self) -> bool {
        let listens =
            |request: &ClientRequest| request.method == LISTEN && self.is_pending(request);
        // Only HTTP has several streams on one connection.
        self.client.transport().is_http()
            && (self.streams || self.client_requests.iter().any(listens))
    }

    /// The current line.
    pub(super) fn line(&self) -> CaseLine<'a> {
        self.lines[self.at]
    }

    /// The message of the current line with its `${names}` replaced.
    pub(super) fn expanded(&self) -> Result<mcp_test_core::json::Value, Stop> {
        let line = self.line();
        crate::cases::expand(&line.message.value, &self.values).map_err(|error| {
            let span = line.message.span_of(error.pointer());
            let place = format!("{}:{}:{}", line.file.path, span.line, span.column);
            let headline = format!("`{}` cannot be sent", line.message.key);
            Stop::Here(Finding::test(headline).got(format!("{error} ({place})")))
        })
    }
}
