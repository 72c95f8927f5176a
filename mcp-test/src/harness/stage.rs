//! Playing one cell: on a thread and a runtime of its own, watched from outside.
//!
//! The one who waits is the watchdog: when the code of a test or of its server blocks the thread, nothing on that
//! thread can notice. The thread is then given up; it ends with the process, and the programs that it started end at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};

use super::cells::{Asked, Cell};
use super::ending::{Ending, Played, Problem};
use super::source::Source;
use super::speaking::{self, Mute};
use super::{Unplayable, panics, telling};
use crate::check::{Blame, Finding, Severity, Status};
use crate::clock::{self, Deadline};
use crate::process;
use crate::scenario::{Ctx, Ended, Golden, Inventory, Profile, Setup, Skip};
use crate::scenario::{ScenarioFuture, UserScenario};
use crate::spec::Revision;
use crate::spec::schema::Schemas;
use crate::trace::{Recorder, Trace};
use crate::transport::{CarrierKind, Limits, Target};

/// How long one cell may take, if nobody says anything else.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
/// How long a single reply may take, unless the whole cell has less.
const REPLY: Duration = Duration::from_secs(10);
/// How long it may take until a target is up and has said what it speaks.
const PREPARATION: Duration = Duration::from_secs(120);
/// How long the orderly end of a connection and of what was started may take.
const FAREWELL: Duration = Duration::from_secs(20);
/// How much later than its client a dying program may be seen to exit.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How much later than the deadline on the thread the thread itself is given up.
const LENIENCE: Duration = Duration::from_secs(1);

/// Programs behind a URL: one at a time, for they all want the same port. Held by the one who waits for the cell, so that
/// it is free again when the thread is given up.
static STARTED_PROGRAMS: Mutex<()> = Mutex::new(());

/// Waits until no other test runs a program behind a URL.
pub(super) fn turn() -> MutexGuard<'static, ()> {
    STARTED_PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is to be played.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) scenario: &'static UserScenario,
    pub(super) source: Source,
    pub(super) cell: Cell,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// What distinguishes the snapshot from those of the scenario's other cells, if there are any.
    pub(super) snapshot_suffix: Option<String>,
    /// Whether mcp-test shows how a snapshot differs.
    pub(super) shows_differences: bool,
    /// Whether panics are held back and become part of what is told.
    pub(super) holds_panics: bool,
}

/// How far a cell has come.
enum Progress {
    /// It starts a program, and waits for its turn.
    Queued(oneshot::Sender<()>),
    /// The scenario runs.
    Playing(Scene),
    /// The conversation is being ended.
    Ending,
    /// It is over.
    Over(Box<Played>),
}

/// What is told of a cell whose thread says nothing any more.
struct Scene {
    target: String,
    place: (Revision, CarrierKind),
    recorder: Recorder,
}

impl Scene {
    fn blocked(&self) -> Played {
        let played = Played::blocked(self.recorder.trace());
        Played { target: self.target.clone(), place: Some(self.place), ..played }
    }
}

/// Plays a cell and waits for its end.
pub(super) fn play(order: &Order) -> Played {
    let (tell, mut heard) = mpsc::unbounded_channel();
    let ordered = order.clone();
    let name = order.scenario.test_name();
    // A thread inherits where libtest collects the output of the test.
    let spawned = thread::Builder::new().name(name).spawn(move || on_stage(&ordered, &tell));
    let thread = match spawned {
        Ok(handle) => handle.thread().id(),
        Err(source) => {
            return Played::unplayable(&Unplayable::Refused { what: "thread", source });
        }
    };
    let mut _turn: Option<MutexGuard<'static, ()>> = None;
    let mut deadline = Deadline::after(PREPARATION);
    let mut scene: Option<Scene> = None;
    loop {
        match clock::block_within(deadline, heard.recv()) {
            Ok(Some(Progress::Queued(begin))) => {
                // Those before it are watched as well, so it comes.
                _turn = Some(turn());
                deadline = Deadline::after(PREPARATION);
                // An error means that the thread is gone, which is heard next.
                let _ = begin.send(());
            }
            Ok(Some(Progress::Playing(its))) => {
                scene = Some(its);
                deadline = Deadline::after(order.timeout.saturating_add(LENIENCE));
            }
            Ok(Some(Progress::Ending)) => deadline = Deadline::after(FAREWELL),
            Ok(Some(Progress::Over(played))) => return *played,
            // The thread is gone without a word, which only a panic in the harness itself can do.
            Ok(None) => {
                return Played::failed(Problem::Finding(Finding::harness(
                    "the thread of the test is gone",
                )));
            }
            Err(_) => {
                process::give_up(thread);
                return scene
                    .map_or_else(|| Played::blocked(Trace::default()), |scene| scene.blocked());
            }
        }
    }
}

fn on_stage(order: &Order, tell: &mpsc::UnboundedSender<Progress>) {
    if order.holds_panics {
        panics::hold();
    }
    // Nobody listens any more when the thread was given up.
    let say = |progress| drop(tell.send(progress));
    let mut played = match runtime() {
        Ok(runtime) => {
            let played = catch_unwind(AssertUnwindSafe(|| prepared(order, &runtime, &say)));
            // To drop it would be to wait for what runs in `spawn_blocking`, be it for ever.
            runtime.shutdown_background();
            // What panics outside of the scenario is code of its target.
            played.unwrap_or_else(|payload| Played::failed(Problem::Panic(payload)))
        }
        Err(unplayable) => Played::unplayable(&unplayable),
    };
    played.panics = panics::take();
    say(Progress::Over(Box::new(played)));
}

fn runtime() -> Result<tokio::runtime::Runtime, Unplayable> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Unplayable::Refused { what: "tokio runtime", source })
}

/// Brings up what the cell needs, plays it, and ends what was brought up.
fn prepared(order: &Order, runtime: &tokio::runtime::Runtime, say: &dyn Fn(Progress)) -> Played {
    let made = {
        // The user's function may spawn tasks.
        let _context = runtime.enter();
        order.source.make()
    };
    let target = match made {
        Ok(target) => target,
        Err(unplayable) => return Played::unplayable(&unplayable),
    };
    if target.starts_a_program() {
        let (begin, turn) = oneshot::channel();
        say(Progress::Queued(begin));
        // An error means that the thread was given up; then it can start no program either.
        let _ = turn.blocking_recv();
    }
    let mut played = runtime.block_on(async {
        let prepared = match target.prepare().await {
            Ok(prepared) => prepared,
            Err(finding) => return Played::failed(Problem::Finding(finding.into())).of(&target),
        };
        let mut played = on_target(order, &target, say).await;
        if matches!(played.ending, Ending::Failed(_)) {
            played.exit = prepared.exit_until(Deadline::after(LAST_WORDS)).await;
            played.stderr = prepared.stderr_tail(telling::STDERR_LINES);
        }
        prepared.end().await;
        played
    });
    played.target = target.label();
    played
}

/// Finds out which cell it is, and plays it.
async fn on_target(order: &Order, target: &Target, say: &dyn Fn(Progress)) -> Played {
    let Some(carrier) = order.cell.carrier.or_else(|| target.carriers().first().copied()) else {
        return Played::failed(Problem::Finding(Finding::test("the target has no transport")));
    };
    let revision = match revision(order, target, carrier).await {
        Ok(revision) => revision,
        Err(played) => return *played,
    };
    let mut played = conversation(order, target, revision, carrier, say).await;
    played.place = Some((revision, carrier));
    played
}

async fn revision(
    order: &Order,
    target: &Target,
    carrier: CarrierKind,
) -> Result<Revision, Box<Played>> {
    let key = order.source.key();
    let ask = async |wanted: &[Revision]| {
        let spoken = speaking::spoken(key, target, carrier, wanted, REPLY.min(order.timeout)).await;
        spoken.map_err(|Mute { finding, trace }| {
            Box::new(Played { trace, ..Played::failed(Problem::Finding(finding)) })
        })
    };
    match order.cell.revision {
        Asked::Named(revision) => Ok(revision),
        Asked::Newest => {
            let spoken = ask(&speaking::NEWEST).await?;
            Ok(spoken.last().copied().unwrap_or(Revision::NEWEST))
        }
        Asked::Ranged(revision) => {
            let spoken = ask(&Revision::ALL).await?;
            if spoken.contains(&revision) {
                return Ok(revision);
            }
            let words: Vec<String> = spoken.iter().map(ToString::to_string).collect();
            Err(Box::new(Played::ended(Ending::Unspoken(format!(
                "the server does not speak {revision} over {carrier}; it speaks {}",
                words.join(", ")
            )))))
        }
    }
}

/// The scenario itself, from the fresh context to the judgement.
async fn conversation(
    order: &Order,
    target: &Target,
    revision: Revision,
    carrier: CarrierKind,
    say: &dyn Fn(Progress),
) -> Played {
    let setup = Setup {
        target: target.clone(),
        carrier,
        revision,
        profile: Profile::Adaptive,
        limits: Limits::default(),
        // Less than the whole, so that a silent server is told by the finding about its silence.
        timeout: REPLY.min(order.timeout - order.timeout / 4),
        until: Deadline::after(order.timeout - order.timeout / 4),
        inventory: Inventory::default(),
        schemas: Schemas::default(),
    };
    let mut ctx = Ctx::new(setup, None).with_golden(golden(order));
    let recorder = ctx.recorder().clone();
    say(Progress::Playing(Scene { target: target.label(), place: (revision, carrier), recorder }));
    let body: ScenarioFuture<'_> = (order.scenario.run)(&mut ctx);
    let body = AssertUnwindSafe(body).catch_unwind();
    let outcome = clock::within(Deadline::after(order.timeout), body).await;
    say(Progress::Ending);
    let Ended { checks, trace, judged, shapes, tools, unexamined, .. } = ctx.end().await;
    let mut played = Played { trace, ..Played::ended(Ending::Passed) };
    match outcome {
        Err(elapsed) => played.add(Problem::TimedOut(elapsed.allotted)),
        Ok(Err(payload)) => played.add(Problem::Panic(payload)),
        Ok(Ok(Err(error))) => match error.downcast::<Skip>() {
            Ok(skip) => played.ending = Ending::Skipped(skip.reason),
            Err(error) => played.add(Problem::from(error)),
        },
        Ok(Ok(Ok(()))) => {
            for finding in unexamined {
                played.add(Problem::Finding(finding));
            }
            if let Some(finding) = vacuous(&played.trace) {
                played.add(Problem::Finding(finding));
            }
        }
    }
    for check in checks.into_iter().filter(|check| check.status == Status::Failure) {
        let finding = check
            .finding
            .unwrap_or_else(|| Finding::peer(format!("the check `{}` failed", check.id)));
        played.add(Problem::Finding(finding));
    }
    for finding in judged.into_iter().chain(shapes.findings).chain(tools.findings) {
        match finding.severity {
            Severity::Must if !played.tells(&finding) => played.add(Problem::Finding(finding)),
            Severity::Must => {}
            Severity::Should => played.remarks.push(finding),
        }
    }
    // What a test asks for in a wrong way is its own affair, and often what it is about.
    let of_test = |finding| Finding { blame: Blame::Test, ..finding };
    played.ventured = shapes.harness.into_iter().map(of_test).collect();
    played
}

/// A scenario that never heard anything from its target has shown nothing.
fn vacuous(trace: &Trace) -> Option<Finding> {
    if trace.exchanged() {
        return None;
    }
    let finding = Finding::test("the scenario exchanged nothing with its target")
        .expected("at least one message from each side")
        .got(if trace.events.is_empty() { "no connection at all" } else { "no such exchange" });
    Some(finding.hint("it shows nothing about the server, so it does not pass"))
}

fn golden(order: &Order) -> Option<Golden> {
    let compare = order.scenario.golden?;
    let name = match &order.snapshot_suffix {
        Some(suffix) => format!("{}@{suffix}", order.scenario.name),
        None => order.scenario.name.to_owned(),
    };
    Some(Golden { name, compare, shows_differences: order.shows_differences })
}

#[cfg(test)]
mod tests;
