//! The memory that the HTTP servers of a process may use for what clients send, and for what waits to be sent to them.
//!
//! A [`Reservation`] is made before the bytes exist, and lives as long as they do. When nothing is left, a reservation waits,
//! and fails after a time; the request that needs it is then refused with HTTP 503.
//!
//! Each [`Usage`] has a share of its own. A request reserves in the order in which they are listed, so what one request waits for
//! is never held by another one that waits for an earlier share. In each share, units up to [`LARGEST_SMALL`] have a part to
//! themselves, so that clients with large messages do not stop those with small ones.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::{self, Deadline};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// What is this small is not counted: the number of connections and of sessions bounds it. Nearly all messages are.
pub(crate) const UNCOUNTED: usize = 16 * KIB;

/// What is larger is served from the part of a share that is for large units.
pub(crate) const LARGEST_SMALL: usize = 256 * KIB;

/// How long a reservation waits: longer than a busy machine needs for the large messages of eight clients, one after the other.
const WAIT: Duration = Duration::from_secs(60);

/// The budget of this process.
static PROCESS: LazyLock<MemoryBudget> = LazyLock::new(|| {
    // Two bodies of 16 MiB; the values of one and a copy of its text; the same without the copy, of a session whose client has
    // declared nothing but small values; one reply of that size, as a message and as what is written of it. Together with
    // what the program needs anyway, this is less than the 256 MiB that a command may take; only with many connections are the parts
    // for small units used as well.
    let parts = [(16, 32), (16, 80), (16, 32), (16, 32), (8, 8)];
    MemoryBudget::new(parts.map(|(small, large)| [small * MIB, large * MIB]), WAIT)
});

/// What memory is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// A body that is being read.
    Body,
    /// A message, from when its body is parsed until the work that it requires is done.
    Message,
    /// What is kept of the client of a session until it ends.
    Session,
    /// A reply or another message of the server, until the client has taken it.
    Reply,
    /// An event that the client may ask for again, or come back for.
    KeptEvent,
}

impl Usage {
    /// What it is for, in words.
    const fn noun(self) -> &'static str {
        match self {
            Self::Body => "bodies",
            Self::Message => "messages",
            Self::Session => "sessions",
            Self::Reply => "replies",
            Self::KeptEvent => "events",
        }
    }
}

/// The memory for several servers; clones share it.
#[derive(Clone)]
pub(crate) struct MemoryBudget(Arc<Shares>);

struct Shares {
    /// By usage, the parts for small and for large units.
    parts: [[Arc<Part>; 2]; 5],
    wait: Duration,
}

/// The part of a share for small or for large units.
struct Part {
    bytes: usize,
    free: Arc<Semaphore>,
    /// How many reservations wait for it.
    waiting: AtomicUsize,
}

/// Memory that is reserved until the last clone is dropped; the default reserves nothing.
#[derive(Clone, Default)]
pub(crate) struct Reservation(Option<Arc<Reserved>>);

struct Reserved {
    budget: MemoryBudget,
    part: Arc<Part>,
    permit: OwnedSemaphorePermit,
}

/// Why memory cannot be reserved: others have used it up, and nothing became free in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the memory that mcp-test has for {} is used up; try again later, or send smaller messages",
    .usage.noun()
)]
pub(crate) struct MemoryUsedUp {
    /// What it was needed for.
    pub(crate) usage: Usage,
}

impl MemoryUsedUp {
    /// After how many seconds a client may try again.
    pub(crate) const RETRY_AFTER: &str = "5";
}

/// A reservation that waits, which is counted until this is dropped.
struct Waiting<'a>(&'a Part);

impl MemoryBudget {
    fn new(parts: [[usize; 2]; 5], wait: Duration) -> Self {
        let part = |bytes| Arc::new(Part::new(bytes));
        Self(Arc::new(Shares { parts: parts.map(|of_share| of_share.map(part)), wait }))
    }

    /// The budget that all servers of this process share.
    pub(crate) fn for_process() -> Self {
        PROCESS.clone()
    }

    /// Reserves memory, and waits for it if necessary.
    ///
    /// A unit that is larger than its share gets all of it.
    ///
    /// # Errors
    ///
    /// When nothing has become free in time.
    pub(crate) async fn reserve(
        &self,
        usage: Usage,
        bytes: usize,
    ) -> Result<Reservation, MemoryUsedUp> {
        if let Some(reservation) = self.try_reserve(usage, bytes) {
            return Ok(reservation);
        }
        let part = self.part(usage, bytes);
        let waiting = Waiting::new(part);
        let free = Arc::clone(&part.free).acquire_many_owned(part.permits(bytes));
        let acquired = clock::within(Deadline::after(self.0.wait), free).await;
        drop(waiting);
        match acquired {
            Ok(Ok(permit)) => Ok(self.reserved(part, permit)),
            // The semaphore is never closed, so only the time can be up.
            Ok(Err(_)) | Err(_) => Err(MemoryUsedUp { usage }),
        }
    }

    /// Reserves memory, if it is free.
    pub(crate) fn try_reserve(&self, usage: Usage, bytes: usize) -> Option<Reservation> {
        if bytes <= UNCOUNTED {
            return Some(Reservation::default());
        }
        let part = self.part(usage, bytes);
        let permit = Arc::clone(&part.free).try_acquire_many_owned(part.permits(bytes)).ok()?;
        Some(self.reserved(part, permit))
    }

    /// Whether a reservation is of the part that a unit of this size would need.
    pub(crate) fn competes(&self, reservation: &Reservation, usage: Usage, bytes: usize) -> bool {
        let held = reservation.0.as_ref();
        held.is_some_and(|held| Arc::ptr_eq(&held.part, self.part(usage, bytes)))
    }

    fn part(&self, usage: Usage, bytes: usize) -> &Arc<Part> {
        let [small, large] = &self.0.parts[usage as usize];
        if bytes <= LARGEST_SMALL { small } else { large }
    }

    fn reserved(&self, part: &Arc<Part>, permit: OwnedSemaphorePermit) -> Reservation {
        let reserved = Reserved { budget: self.clone(), part: Arc::clone(part), permit };
        Reservation(Some(Arc::new(reserved)))
    }
}

impl Part {
    fn new(bytes: usize) -> Self {
        Self { bytes, free: Arc::new(Semaphore::new(bytes)), waiting: AtomicUsize::new(0) }
    }

    /// One permit for each byte.
    fn permits(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.min(self.bytes)).unwrap_or(u32::MAX)
    }
}

impl Reservation {
    /// Whether anything is reserved.
    pub(crate) fn is_counted(&self) -> bool {
        self.0.is_some()
    }

    /// How many bytes are reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |held| held.permit.num_permits())
    }

    /// Whether others wait for such memory.
    pub(crate) fn is_contended(&self) -> bool {
        // Relaxed: nothing else is read on the strength of it.
        self.0.as_ref().is_some_and(|held| held.part.waiting.load(Ordering::Relaxed) > 0)
    }

    /// The same amount reserved for another usage, if it is free.
    pub(crate) fn transferred(&self, usage: Usage) -> Option<Self> {
        let Some(held) = &self.0 else { return Some(Self::default()) };
        match held.budget.competes(self, usage, self.bytes()) {
            true => Some(self.clone()),
            false => held.budget.try_reserve(usage, self.bytes()),
        }
    }

    /// The same bytes, which keep the memory reserved until their last clone is dropped.
    pub(crate) fn holding(self, bytes: Bytes) -> Bytes {
        match self.0 {
            Some(held) => Bytes::from_owner(HeldBytes { bytes, _held: held }),
            None => bytes,
        }
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBudget").finish_non_exhaustive()
    }
}

impl PartialEq for Reservation {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation").field("bytes", &self.bytes()).finish()
    }
}

/// Bytes with the memory that is reserved for them.
struct HeldBytes {
    bytes: Bytes,
    _held: Arc<Reserved>,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<'a> Waiting<'a> {
    fn new(part: &'a Part) -> Self {
        part.waiting.fetch_add(1, Ordering::Relaxed);
        Self(part)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use futures_util::future::join;

    use super::*;

    /// A budget with these bytes for the large units of each usage.
    pub(crate) fn budget(large: usize, wait: Duration) -> MemoryBudget {
        MemoryBudget::new([[LARGEST_SMALL, large]; 5], wait)
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn what_is_reserved_is_free_again_when_its_last_clone_is_dropped() {
        let budget = budget(MIB, LONG);
        let half = budget.try_reserve(Usage::Body, MIB / 2).unwrap();
        let same = half.clone();
        assert!(budget.try_reserve(Usage::Body, MIB).is_none());
        drop(half);
        assert!(budget.try_reserve(Usage::Body, MIB).is_none());
        drop(same);
        assert_eq!(budget.try_reserve(Usage::Body, MIB).unwrap().bytes(), MIB);
    }

    #[test]
    fn usages_and_sizes_do_not_take_from_one_another() {
        let budget = budget(MIB, LONG);
        let all = budget.try_reserve(Usage::Body, MIB).unwrap();
        assert!(budget.try_reserve(Usage::Body, LARGEST_SMALL + 1).is_none());
        let small = budget.try_reserve(Usage::Body, LARGEST_SMALL).unwrap();
        assert!(budget.try_reserve(Usage::Message, MIB).is_some());
        assert!(budget.competes(&all, Usage::Body, MIB));
        assert!(!budget.competes(&small, Usage::Body, MIB));
        assert!(!budget.competes(&all, Usage::Reply, MIB));
    }

    #[test]
    fn what_is_tiny_is_never_refused() {
        let budget = budget(MIB, LONG);
        let _all =
            [LARGEST_SMALL, MIB].map(|bytes| budget.try_reserve(Usage::Body, bytes).unwrap());
        let tiny = budget.try_reserve(Usage::Body, UNCOUNTED).unwrap();
        assert!(!tiny.is_counted());
        assert!(budget.try_reserve(Usage::Body, UNCOUNTED + 1).is_none());
    }

    #[test]
    fn what_exceeds_its_share_gets_all_of_it() {
        let budget = budget(MIB, LONG);
        assert_eq!(budget.try_reserve(Usage::Session, 100 * MIB).unwrap().bytes(), MIB);
    }

    #[tokio::test]
    async fn a_reservation_waits_until_enough_is_free() {
        let budget = budget(MIB, LONG);
        let held = budget.reserve(Usage::Message, MIB).await.unwrap();
        assert!(!held.is_contended());
        let release = async {
            // Polled second, so the other one waits by now.
            assert!(held.is_contended());
            drop(held);
        };
        let (waited, ()) = join(budget.reserve(Usage::Message, MIB / 2), release).await;
        let waited = waited.unwrap();
        assert!(!waited.is_contended());
        assert_eq!(waited.bytes(), MIB / 2);
    }

    #[tokio::test]
    async fn a_reservation_fails_when_nothing_becomes_free_in_time() {
        let budget = budget(MIB, Duration::from_millis(1));
        let _held = budget.reserve(Usage::Session, MIB).await.unwrap();
        let error = budget.reserve(Usage::Session, MIB).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the memory that mcp-test has for sessions is used up; try again later, or send smaller messages"
        );
    }

    #[test]
    fn bytes_keep_their_memory_reserved() {
        let budget = budget(MIB, LONG);
        let reservation = budget.try_reserve(Usage::Reply, MIB).unwrap();
        let bytes = reservation.holding(Bytes::from_static(b"a reply"));
        let part = bytes.slice(2..);
        drop(bytes);
        assert!(budget.try_reserve(Usage::Reply, MIB).is_none());
        assert_eq!(part, "reply");
        drop(part);
        assert!(budget.try_reserve(Usage::Reply, MIB).is_some());
    }

    #[test]
    fn memory_is_transferred_if_it_is_free() {
        let budget = budget(MIB, LONG);
        let reply = budget.try_reserve(Usage::Reply, MIB).unwrap();
        let kept = reply.transferred(Usage::Session).unwrap();
        assert_eq!(kept.bytes(), MIB);
        assert!(reply.transferred(Usage::Session).is_none());
        assert!(kept.transferred(Usage::Session).is_some(), "it is reserved already");
        assert!(!Reservation::default().transferred(Usage::Session).unwrap().is_counted());
    }
}
