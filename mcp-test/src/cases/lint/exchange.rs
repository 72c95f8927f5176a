//! Requests and replies: whether they belong together.

use std::collections::HashMap;

use super::{Chain, REPLY_WITHOUT_REQUEST, SAME_ID, SECOND_REPLY, UNANSWERED};
use crate::cases::reading::quoted;
use crate::cases::{CaseMessage, Complaint, Direction};
use crate::json::{Number, Pointer};
use crate::wire::{Id, Message};

/// A request, and what became of it.
struct Asked<'a> {
    said: &'a CaseMessage,
    method: &'a str,
    answered: Option<&'a CaseMessage>,
    is_cancelled: bool,
}

/// The requests of one side, by their ids.
#[derive(Default)]
struct Requests<'a> {
    by_id: HashMap<&'a Id, usize>,
    all: Vec<Asked<'a>>,
}

/// How many ids are named.
const FEW: usize = 8;

/// The id that looks the same, and is of the other type.
fn retyped(id: &Id) -> Option<Id> {
    match id {
        Id::Number(number) => Some(Id::from(number.as_str())),
        Id::String(text) => Number::parse(text).map(Id::from),
        Id::Null => None,
    }
}

/// A request that may stay open.
const LISTEN: &str = "subscriptions/listen";

pub(super) fn of_chain(chain: &Chain<'_>) -> Vec<Complaint> {
    let mut found = Vec::new();
    let [mut client, mut server] = [Requests::default(), Requests::default()];
    for (said, message) in chain.messages() {
        let (own, other) = match said.direction {
            Direction::In => (&mut client, &mut server),
            Direction::Out => (&mut server, &mut client),
        };
        match message {
            Message::Request(request) => {
                found.extend(own.ask(chain, said, &request.id, &request.method));
            }
            Message::Response(response) => found.extend(other.answer(chain, said, &response.id)),
            Message::Error(reply) => {
                let id = reply.id.as_ref().filter(|id| **id != Id::Null);
                found.extend(id.and_then(|id| other.answer(chain, said, id)));
            }
            Message::Notification(_) => {
                if message.method() == Some("notifications/cancelled") {
                    let id = message.params().and_then(|params| Id::read(params.get("requestId")?));
                    own.cancel(id.as_ref());
                }
            }
        }
    }
    found.extend(client.open().map(|asked| unanswered(chain, asked)));
    found.extend(server.open().map(|asked| unanswered(chain, asked)));
    found
}

impl<'a> Requests<'a> {
    fn ask(
        &mut self,
        chain: &Chain<'_>,
        said: &'a CaseMessage,
        id: &'a Id,
        method: &'a str,
    ) -> Option<Complaint> {
        let asked = Asked { said, method, answered: None, is_cancelled: false };
        let before = self.by_id.insert(id, self.all.len()).and_then(|at| self.all.get(at));
        let complaint = before.map(|before| {
            let text = format!("two requests have the id {id}");
            chain
                .complaint(&SAME_ID, said.place(&pointer("id")), text)
                .label("used again here")
                .also(before.said.place(&pointer("id")), "first used here")
        });
        self.all.push(asked);
        complaint
    }

    fn answer(&mut self, chain: &Chain<'_>, said: &'a CaseMessage, id: &Id) -> Option<Complaint> {
        let place = said.place(&pointer("id"));
        let Some(asked) = self.by_id.get(id).and_then(|at| self.all.get_mut(*at)) else {
            let text = format!("`{}` answers a request that is not there", said.key);
            let label = match self.by_id.len() {
                0 => "nothing was asked before".to_owned(),
                few @ ..=FEW => {
                    let mut ids: Vec<String> =
                        self.by_id.keys().map(|id| format!("{id}")).collect();
                    ids.sort();
                    let before = if few == 1 { "id of the request" } else { "ids of requests" };
                    let are = if few == 1 { "is" } else { "are" };
                    format!("the {before} before it {are} {}", quoted(&ids))
                }
                many => format!("none of the {many} requests before it has the id"),
            };
            let retyped = retyped(id).filter(|other| self.by_id.contains_key(other));
            let help = retyped.map(|other| format!("did you mean `{other}`? `{id}` is another id"));
            let complaint = chain.complaint(&REPLY_WITHOUT_REQUEST, place, text);
            return Some(complaint.label(label).help(help));
        };
        if let Some(first) = asked.answered {
            let text = format!("`{}` is answered twice", asked.said.key);
            let complaint = chain.complaint(&SECOND_REPLY, place, text);
            let complaint = complaint.label("the second reply");
            return Some(complaint.also(first.place(&pointer("id")), "the first one"));
        }
        asked.answered = Some(said);
        None
    }

    fn cancel(&mut self, id: Option<&Id>) {
        let asked = id.and_then(|id| self.by_id.get(id)).and_then(|at| self.all.get_mut(*at));
        if let Some(asked) = asked {
            asked.is_cancelled = true;
        }
    }

    /// The requests that somebody would have to answer.
    fn open(&self) -> impl Iterator<Item = &Asked<'a>> {
        self.all.iter().filter(|asked| {
            asked.answered.is_none() && !asked.is_cancelled && asked.method != LISTEN
        })
    }
}

fn unanswered(chain: &Chain<'_>, asked: &Asked<'_>) -> Complaint {
    let direction = match asked.said.direction {
        Direction::In => "out",
        Direction::Out => "in",
    };
    let text = format!("`{}` is a request, and has no reply", asked.said.key);
    let label = format!("no `{direction}…` has its id");
    chain.complaint(&UNANSWERED, asked.said.key_span, text).label(label)
}

fn pointer(name: &str) -> Pointer {
    Pointer::root().member(name)
}
