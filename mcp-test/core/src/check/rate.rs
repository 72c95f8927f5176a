//! How many messages of a kind within a second are too many. Which messages are counted is for the judges.

use std::collections::VecDeque;
use std::time::Duration;

/// More pings than this within a second are too many: a peer that is alive does not die several times a second.
pub(super) const PINGS_PER_SECOND: usize = 5;

/// More progress of one request, or more log messages, than this within a second are more than a peer can show.
pub(super) const SHOWN_PER_SECOND: usize = 1000;

/// Notes that a message arrived, and returns whether more than `most` did within a second.
pub(super) fn exceeds(times: &mut VecDeque<Duration>, at: Duration, most: usize) -> bool {
    times.push_back(at);
    if times.len() <= most {
        return false;
    }
    let first = times.pop_front().unwrap_or_default();
    at.saturating_sub(first) < Duration::from_secs(1)
}
