//! What a scenario that tests a client has in its hands: before, the stage that it furnishes; after, what was said on it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{CheckBuilder, Part, Profile, Scenario, TASK};
use crate::check::{Check, Collector, Finding};
use crate::json::Value;
use crate::spec::{Era, Revision, spoken};
use crate::trace::{Connection, Event, Party, Seq, Trace, What};
use crate::transport::Left;
use crate::wire::Message;

/// The check of ours that every client has to pass in every scenario: that it came, and said something.
pub const TOOK_PART: &str = "client-took-part";

/// The check of ours that a client leaves by itself, and without an error.
pub const LEFT_WELL: &str = "client-left-well";

/// Where a client is tested: one scenario at one revision, by the rules of a profile.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Stage {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The revision that the client is told.
    pub revision: Revision,
    /// By whose rules is judged.
    pub profile: Profile,
}

impl Stage {
    /// The stage of a scenario.
    #[must_use]
    pub const fn new(scenario: &'static Scenario, revision: Revision, profile: Profile) -> Self {
        Self { scenario, revision, profile }
    }

    /// The era of the revision.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision.era()
    }
}

/// A message that the server has heard from the client.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Heard {
    /// The event that records it.
    pub seq: Seq,
    /// What it says.
    pub message: Message,
    /// The headers of the HTTP request that brought it, in order.
    pub headers: Vec<(String, String)>,
}

impl Heard {
    /// The method, if it is a request or a notification.
    #[must_use]
    pub fn method(&self) -> &str {
        self.message.method().unwrap_or_default()
    }

    /// The params; `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        self.message.params().unwrap_or(&Value::Null)
    }

    /// A member of `_meta`.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.params().get("_meta")?.get(key)
    }

    /// The value of a header; names compare without regard to case. Of several of the name, the first.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The params as what a check is made on.
    #[must_use]
    pub fn part(&self) -> Part<'_> {
        let what = format!("the message `{}`", self.method());
        Part::new(what, self.params(), Some(self.seq))
    }
}

/// A client's visit after its end, in the hands of the scenario that judges it.
pub struct Judging {
    stage: Stage,
    trace: Arc<Trace>,
    left: Left,
    collector: Collector,
}

impl Judging {
    /// What was said on a stage, and how the client left it.
    #[must_use]
    pub fn new(stage: Stage, trace: Arc<Trace>, left: Left) -> Self {
        Self { stage, trace, left, collector: Collector::new() }
    }

    /// The revision that the client was told.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.stage.revision
    }

    /// By whose rules is judged.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.stage.profile
    }

    /// The revision that client and server have settled on in a handshake.
    #[must_use]
    pub fn agreed(&self) -> Option<Revision> {
        let of_server = self.trace.messages().filter(|(event, _)| event.party == Party::Server);
        of_server.map(|(_, message)| message).find_map(|message| {
            let Message::Response(response) = message else { return None };
            response.result.get("serverInfo")?;
            spoken::settled(&response.result).known()
        })
    }

    /// Everything that was said.
    #[must_use]
    pub fn trace(&self) -> Arc<Trace> {
        Arc::clone(&self.trace)
    }

    /// How the client left.
    #[must_use]
    pub fn left(&self) -> &Left {
        &self.left
    }

    /// Every well-formed message of the client, in the order in which they came.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        let of_client = self.trace.messages().filter(|(event, _)| event.party == Party::Client);
        let headers = self.headers();
        let heard = of_client.map(|(event, message)| Heard {
            seq: event.seq,
            message: message.clone(),
            headers: headers.get(&exchange(event)).map(|given| given.to_vec()).unwrap_or_default(),
        });
        heard.collect()
    }

    /// The requests and notifications of one method.
    #[must_use]
    pub fn requests(&self, method: &str) -> Vec<Heard> {
        self.heard().into_iter().filter(|heard| heard.method() == method).collect()
    }

    /// The finding that the client did not do what a scenario is there to see.
    #[must_use]
    pub fn undone(&self, headline: impl Into<String>) -> Finding {
        Finding::peer(headline).hint(TASK)
    }

    /// Begins a check, which has to be one that the scenario declares.
    #[must_use = "a check of which nothing is asked is not made; go on with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let Stage { scenario, revision, profile } = self.stage;
        CheckBuilder::of(scenario, &mut self.collector, (profile, revision), id)
    }

    /// The checks, in the order in which they were made.
    #[must_use]
    pub fn into_checks(self) -> Vec<Check> {
        self.collector.into_checks()
    }

    /// The headers of the HTTP requests, by what they belong to.
    fn headers(&self) -> HashMap<Exchange, &[(String, String)]> {
        let requests = self.trace.events.iter().filter_map(|event| match &event.what {
            What::HttpRequest { headers, .. } => Some((exchange(event), headers.as_slice())),
            _ => None,
        });
        requests.collect()
    }
}

/// The connection of an event, and the number of its exchange there.
type Exchange = (Connection, Option<u64>);

fn exchange(event: &Event) -> Exchange {
    (event.connection, event.exchange)
}
