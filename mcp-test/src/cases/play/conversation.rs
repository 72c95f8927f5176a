//! The conversation itself: the client, what is under way, and waiting for what is to come.

use std::time::Duration;

use super::declared;
use super::roles::{Line, Role, roles};
use super::told::Stop;
use crate::cases::Values;
use crate::check::Finding;
use crate::client::{Options, Pending, Step};
use crate::clock::{self, Deadline};
use crate::scenario::{Connected, Ctx, Profile};
use crate::spec::{Era, error_code};
use crate::trace::Seq;
use crate::wire::{Id, Request, RpcError};

/// How long what is awaited may still take when it is likely not to come: something like it was there already, or the reply
/// that follows it came on another stream.
const GRACE: Duration = Duration::from_secs(2);

/// How long the response to a GET may take until the conversation goes on without its stream.
const BEGINNING: Duration = Duration::from_secs(1);

/// A request of the client, once it is said.
#[derive(Debug)]
pub(super) struct Asking {
    /// Which message of the conversation it is.
    pub(super) line: usize,
    pub(super) label: Option<Id>,
    pub(super) method: String,
    /// The id that it has on the wire.
    pub(super) id: Id,
    /// There until somebody waits for the reply, or nobody does any more.
    pub(super) pending: Option<Pending>,
}

/// A request of the server.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) seq: Seq,
    pub(super) request: Request,
    /// Which message of the case it turned out to be, with its label.
    pub(super) known_as: Option<(usize, Id)>,
}

/// A conversation that is being held.
pub(super) struct Conversation<'a> {
    pub(super) client: Connected,
    pub(super) lines: &'a [Line<'a>],
    pub(super) roles: Vec<Role>,
    /// The message that is being played.
    pub(super) at: usize,
    pub(super) values: Values,
    pub(super) strict: bool,
    /// Nothing is said but what the case has.
    pub(super) bare: bool,
    pub(super) asking: Vec<Asking>,
    pub(super) asked: Vec<Asked>,
    /// How many requests of the server were looked at.
    seen: usize,
    /// Requests of the server that the case does not have.
    pub(super) unexpected: Vec<(Seq, String)>,
    /// There is a stream on which the server may speak of its own accord.
    streams: bool,
}

/// What came of waiting.
pub(super) enum Found<T> {
    /// It is there.
    There(T),
    /// Something like it is there.
    Nearly,
    /// It is not there.
    No,
}

/// Why something did not come.
pub(super) enum Missing {
    /// The reply came that follows it.
    Overtaken(String),
    /// Nothing more can come.
    Closed(String),
    /// The time is over.
    TimedOut(Duration, Seq),
}

impl<'a> Conversation<'a> {
    /// Opens a conversation: with the handshake, unless the case does without or makes it itself.
    pub(super) async fn open(
        ctx: &Ctx,
        lines: &'a [Line<'a>],
        values: Values,
    ) -> Result<Self, Finding> {
        let bare = lines.first().is_some_and(|line| line.case.settings.bare);
        let roles = roles(lines);
        let opens = roles.iter().any(Role::opens);
        let options: Options = ctx.options().handlers(declared::handlers(lines));
        let client = match bare || opens {
            true => ctx.silent(options).await?,
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
            asking: Vec::new(),
            asked: Vec::new(),
            seen: 0,
            unexpected: Vec::new(),
            streams: false,
        };
        if !bare && !opens {
            this.listen().await;
        }
        Ok(this)
    }

    /// Opens the stream on which a server of Streamable HTTP speaks of its own accord, if it is to do so in the case. A
    /// server need not have one; what was to come on it is then missing.
    pub(super) async fn listen(&mut self) {
        let speaks = |role: &Role| matches!(role, Role::IsAsked(..) | Role::Notifies(_));
        let has_stream = self.client.carrier().is_http()
            && self.client.revision().era() == Era::Handshake
            && self.roles.iter().any(speaks);
        if has_stream && !self.streams {
            self.streams = self.client.listen_within(BEGINNING).await.unwrap_or(false);
        }
    }

    /// Looks at what the server has asked since the last time: what the case has is kept until its turn comes, anything else is
    /// refused, so that the server need not wait for what will never be said.
    pub(super) async fn sort(&mut self) {
        let new: Vec<(Seq, Request)> = self
            .client
            .asked_after(self.seen)
            .map(|(seq, request)| (seq, request.clone()))
            .collect();
        self.seen += new.len();
        for (seq, request) in new {
            let is_it = |role: &Role| matches!(role, Role::IsAsked(of, _) if *of == request.method);
            let to_come = self.roles[self.at..].iter().filter(|role| is_it(role)).count();
            let here =
                |asked: &&Asked| asked.known_as.is_none() && asked.request.method == request.method;
            if self.asked.iter().filter(here).count() < to_come {
                self.asked.push(Asked { seq, request, known_as: None });
                continue;
            }
            let is_left_to_us = self.roles.iter().any(is_it);
            if is_left_to_us && self.client.revision().has_server_requests() {
                let text = format!("the case has no further `{}`", request.method);
                let refusal = RpcError::new(error_code::METHOD_NOT_FOUND, text);
                self.client.answer(&request, Err(refusal)).await;
            }
            self.unexpected.push((seq, request.method));
        }
    }

    /// Waits for something that the server is to say of its own accord, at the present place of the case.
    ///
    /// What came before counts. It does not come any more when the reply is there that follows it in the case, if both would
    /// have come on one stream.
    pub(super) async fn until<T>(
        &mut self,
        mut found: impl FnMut(&mut Self) -> Found<T>,
    ) -> Result<T, Missing> {
        let mut deadline = self.client.deadline();
        let (mut is_near, mut is_late) = (false, false);
        loop {
            self.sort().await;
            match found(self) {
                Found::There(it) => return Ok(it),
                Found::Nearly if !is_near => {
                    is_near = true;
                    deadline = deadline.min(Deadline::after(GRACE));
                }
                Found::Nearly | Found::No => {}
            }
            if let Some(reply) = self.overtaken_by().filter(|_| !is_late) {
                if !self.has_other_stream() {
                    return Err(Missing::Overtaken(reply));
                }
                is_late = true;
                deadline = deadline.min(Deadline::after(GRACE));
            }
            match self.client.look(deadline).await {
                Step::Observed => {}
                Step::Closed => {
                    let how = self.client.has_ended().unwrap_or("the connection was closed");
                    return Err(Missing::Closed(how.to_owned()));
                }
                Step::TimedOut => {
                    let allotted = deadline.allotted().unwrap_or_default();
                    let awaited = format!("what comes next, for {}", clock::in_words(allotted));
                    return Err(Missing::TimedOut(
                        allotted,
                        self.client.deadline_has_fired(awaited),
                    ));
                }
            }
        }
    }

    /// Waits until it is settled what becomes of a request; what the server asks meanwhile is looked at.
    pub(super) async fn until_settled(&mut self, pending: &Pending) {
        while self.client.is_under_way(pending) {
            self.sort().await;
            if self.client.look_for(pending).await != Step::Observed {
                break;
            }
        }
        self.sort().await;
    }

    /// The reply that came before what is awaited, although the case has it later: all that follow have come by then.
    fn overtaken_by(&self) -> Option<String> {
        let mut later = self.asking.iter().filter(|asking| {
            let Some(Role::Asks { answered, .. }) = self.roles.get(asking.line) else {
                return false;
            };
            answered.is_some_and(|answered| answered > self.at)
        });
        let settled = |asking: &&Asking| {
            asking.pending.as_ref().is_none_or(|pending| !self.client.is_under_way(pending))
        };
        let first = later.clone().next()?;
        later.all(|asking| settled(&asking)).then(|| first.method.clone())
    }

    /// Whether the server may speak on another stream than those of replies.
    fn has_other_stream(&self) -> bool {
        let listens = |asking: &Asking| {
            let pending = asking.pending.as_ref();
            asking.method == "subscriptions/listen"
                && pending.is_some_and(|pending| self.client.is_under_way(pending))
        };
        self.client.carrier().is_http() && (self.streams || self.asking.iter().any(listens))
    }

    /// The message that is being played.
    pub(super) fn line(&self) -> Line<'a> {
        self.lines[self.at]
    }

    /// The message of the present line with its `${names}` replaced.
    pub(super) fn expanded(&self) -> Result<crate::json::Value, Stop> {
        let line = self.line();
        crate::cases::expand(&line.message.value, &self.values).map_err(|error| {
            let span = line.message.place(error.pointer());
            let place = format!("{}:{}:{}", line.file.path, span.line, span.column);
            let headline = format!("`{}` cannot be said as it stands", line.message.key);
            Stop::Here(Finding::test(headline).got(format!("{error} ({place})")))
        })
    }
}
