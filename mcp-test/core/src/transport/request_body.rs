//! Reads the bodies of requests, within a limit and the memory budget.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use super::memory_budget::{
    LARGEST_SMALL, MemoryBudget, MemoryUsedUp, Reservation, UNCOUNTED, Usage,
};
use crate::clock::{self, Deadline};

/// How long a body that takes memory from others may take.
const COUNTED_TIME: Duration = Duration::from_secs(60);
/// How long nothing may arrive of a body for whose memory others wait.
const CONTENDED_PAUSE: Duration = Duration::from_secs(5);

/// How much of a body is read, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    /// The bytes of the largest body.
    pub(crate) bytes: usize,
    /// How long it may take to arrive; without it, as long as it takes no memory from others.
    pub(crate) time: Option<Duration>,
}

/// Why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// It is longer than the limit.
    #[error("the body is too large")]
    TooLarge,
    /// The connection broke, or the body is not valid HTTP.
    #[error("the body is incomplete or wrongly chunked")]
    Broken,
    /// It has not arrived in time.
    #[error("the body did not arrive within {}", clock::format_duration(*.0))]
    Late(Duration),
    /// No memory is left for it.
    #[error(transparent)]
    UsedUp(#[from] MemoryUsedUp),
}

/// Reads a body; its memory is reserved as long as the reservation lives.
pub(crate) async fn read(
    budget: &MemoryBudget,
    mut body: Body,
    limits: BodyLimits,
) -> Result<(Bytes, Reservation), BodyError> {
    let declared = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    // Of a length that is not declared, only what has arrived says anything.
    let covered = declared.unwrap_or(UNCOUNTED.min(limits.bytes));
    let mut reading = Reading::new(budget, limits);
    reading.cover(covered).await?;
    let mut text = BytesMut::with_capacity(covered);
    while let Some(data) = reading.next(&mut body).await? {
        reading.cover(text.len() + data.len()).await?;
        text.extend_from_slice(&data);
    }
    Ok((text.freeze(), reading.memory))
}

/// A body that is being read.
struct Reading<'a> {
    budget: &'a MemoryBudget,
    limits: BodyLimits,
    memory: Reservation,
    /// How many bytes it may have with this memory.
    covered: usize,
    end: Deadline,
}

impl<'a> Reading<'a> {
    fn new(budget: &'a MemoryBudget, limits: BodyLimits) -> Self {
        let (memory, end) = (Reservation::default(), Deadline::never());
        Self { budget, limits, memory, covered: 0, end }
    }

    /// Makes sure that there is memory for this many bytes.
    async fn cover(&mut self, bytes: usize) -> Result<(), BodyError> {
        if bytes > self.limits.bytes {
            return Err(BodyError::TooLarge);
        }
        if bytes <= self.covered && self.covered > 0 {
            return Ok(());
        }
        // More than is needed now: it is reserved twice at most, first as a small unit and then as a large one. What was reserved
        // before is held meanwhile.
        self.covered = match self.covered {
            0 => bytes,
            _ if bytes <= LARGEST_SMALL => LARGEST_SMALL.min(self.limits.bytes),
            _ => self.limits.bytes,
        };
        self.memory = self.budget.reserve(Usage::Body, self.covered).await?;
        // From now on: a body that waits for memory is not late.
        let time = self.limits.time.or(self.memory.is_counted().then_some(COUNTED_TIME));
        self.end = time.map_or(Deadline::never(), Deadline::after);
        Ok(())
    }

    /// The next bytes of the body; `None` at its end.
    async fn next(&self, body: &mut Body) -> Result<Option<Bytes>, BodyError> {
        loop {
            let pause = match self.memory.is_counted() {
                true => Deadline::after(CONTENDED_PAUSE),
                false => Deadline::never(),
            };
            match clock::within(self.end.min(pause), body.frame()).await {
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(BodyError::Broken),
                Ok(Some(Ok(frame))) => {
                    // Trailers have none.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Err(_) if self.end.has_passed() => {
                    return Err(BodyError::Late(self.end.allotted().unwrap_or_default()));
                }
                // A client that has stopped sending must not keep others waiting.
                Err(_) if self.memory.is_contended() => {
                    return Err(MemoryUsedUp { usage: Usage::Body }.into());
                }
                Err(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{StreamExt, stream};

    use super::*;
    use crate::transport::memory_budget::tests::budget;

    const LONG: Duration = Duration::from_secs(600);
    const LIMIT: usize = 1024 * 1024;

    fn limits() -> BodyLimits {
        BodyLimits { bytes: LIMIT, time: None }
    }

    /// A body of this many bytes whose length is not declared.
    fn chunked(bytes: usize) -> Body {
        let chunks = stream::iter(0..bytes.div_ceil(1000));
        let chunk = move |index: usize| vec![b'x'; (bytes - 1000 * index).min(1000)];
        Body::from_stream(chunks.map(move |index| Ok::<_, Infallible>(chunk(index))))
    }

    /// A body that does not end after this many bytes.
    fn unfinished(bytes: usize) -> Body {
        let begun = stream::iter([Ok::<_, Infallible>(vec![b'x'; bytes])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    #[tokio::test]
    async fn memory_is_reserved_for_the_length_of_a_body() {
        let budget = budget(LIMIT, LONG);
        for (length, declared, undeclared) in [
            (0, 0, 0),
            (UNCOUNTED, 0, 0),
            (UNCOUNTED + 1, UNCOUNTED + 1, LARGEST_SMALL),
            (LARGEST_SMALL, LARGEST_SMALL, LARGEST_SMALL),
            (LARGEST_SMALL + 1, LARGEST_SMALL + 1, LIMIT),
            (LIMIT, LIMIT, LIMIT),
        ] {
            for (body, reserved) in
                [(Body::from(vec![b'x'; length]), declared), (chunked(length), undeclared)]
            {
                let (text, memory) = read(&budget, body, limits()).await.unwrap();
                assert_eq!((text.len(), memory.bytes()), (length, reserved));
            }
        }
    }

    #[tokio::test]
    async fn what_exceeds_the_limit_is_not_read() {
        let budget = budget(LIMIT, LONG);
        for body in [Body::from(vec![b'x'; LIMIT + 1]), chunked(LIMIT + 1)] {
            let error = read(&budget, body, limits()).await.unwrap_err();
            assert!(matches!(error, BodyError::TooLarge), "{error}");
        }
        // Nothing is left reserved.
        assert!(budget.try_reserve(Usage::Body, LIMIT).is_some());
    }

    #[tokio::test]
    async fn a_body_without_memory_is_refused() {
        let budget = budget(LIMIT, Duration::from_millis(1));
        let _held = budget.try_reserve(Usage::Body, LIMIT).unwrap();
        for body in [Body::from(vec![b'x'; LIMIT]), chunked(LIMIT)] {
            let error = read(&budget, body, limits()).await.unwrap_err();
            assert!(matches!(error, BodyError::UsedUp(_)), "{error}");
        }
        // Modest ones are read.
        read(&budget, chunked(LARGEST_SMALL), limits()).await.unwrap();
    }

    #[tokio::test]
    async fn a_body_that_stops_gives_way_to_those_that_wait() {
        let budget = budget(LIMIT, LONG);
        let stops = read(&budget, unfinished(LARGEST_SMALL + 1), limits());
        let waits = read(&budget, Body::from(vec![b'x'; LIMIT]), limits());
        let (stopped, waited) = futures_util::future::join(stops, waits).await;
        assert!(matches!(stopped.unwrap_err(), BodyError::UsedUp(_)));
        assert_eq!(waited.unwrap().0.len(), LIMIT);
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive_in_time_is_refused() {
        let time = Some(Duration::from_millis(5));
        let limits = BodyLimits { time, ..limits() };
        let error = read(&budget(LIMIT, LONG), unfinished(5), limits).await.unwrap_err();
        assert_eq!(error.to_string(), "the body did not arrive within 5 ms");
    }
}
