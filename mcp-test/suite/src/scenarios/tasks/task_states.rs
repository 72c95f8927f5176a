//! Members of tasks, for the scenarios about them.

use crate::scenarios::prelude::*;

/// An id that no task has.
pub(super) const UNKNOWN: &str = "no-such-task-of-mcp-test";

/// The shortest time between two requests for the state of a task: a server that asks for none must not fill the trace.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(5);

/// The longest time between two requests for the state of a task.
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// A string member of a result.
pub(super) fn member<'a>(reply: &'a Reply, pointer: &str) -> Option<&'a str> {
    reply.outcome().ok()?.at(pointer)?.as_str()
}

/// Whether a task with this status changes no more.
pub(super) fn is_terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

/// Whether a result is a task of the extension, in place of the result of its request.
pub(super) fn is_task(reply: &Reply) -> bool {
    member(reply, "/resultType") == Some("task")
}

/// The interval that the server asks for, within bounds.
pub(super) fn poll_interval(state: &Reply) -> Duration {
    let stated = state.outcome().ok().and_then(|state| state.get("pollIntervalMs")?.as_f64());
    let stated = stated.filter(|stated| *stated >= 0.0).unwrap_or(100.0);
    let stated = Duration::try_from_secs_f64(stated / 1000.0).unwrap_or(LONGEST_INTERVAL);
    stated.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
}

/// An ISO 8601 time of day on a date: the seconds, their fraction and the offset may be missing.
pub(super) fn timestamp() -> impl Matcher {
    satisfying("an ISO 8601 time such as \"2026-11-23T10:00:00Z\"", |value: &Value| {
        value.as_str().is_some_and(is_timestamp)
    })
}

fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Digits by groups of these lengths; the basic form has no separators.
    let grouped = |text: &str, separator: char, lengths: &[usize]| {
        let groups: Vec<&str> = text.split(separator).collect();
        let fits = groups.iter().zip(lengths).all(|(group, length)| group.len() == *length);
        let is_extended = (2..=lengths.len()).contains(&groups.len()) && fits;
        (is_extended && groups.iter().all(|group| all_digits(group)))
            || (all_digits(text) && text.len() >= lengths[..2].iter().sum())
    };
    let offset = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(offset);
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let zone_is_good = match zone.trim_start_matches(['+', '-']) {
        "" => zone.is_empty(),
        "Z" | "z" => true,
        offset => offset.len() == 2 && all_digits(offset) || grouped(offset, ':', &[2, 2, 2]),
    };
    grouped(date, '-', &[4, 2, 2])
        && grouped(clock, ':', &[2, 2, 2])
        && all_digits(fraction)
        && zone_is_good
}

/// Whether the second of two ids can be guessed from the first: they differ in so few characters that all can be tried.
///
/// Random ids agree in more than a few characters by chance only. Ids of another kind that hide their order pass.
pub(super) fn are_guessable(first: &str, second: &str) -> bool {
    /// No more than this many: below 2^24 possibilities.
    const FEW: usize = 4;
    fn same<'a>(pairs: impl Iterator<Item = (&'a char, &'a char)>) -> usize {
        pairs.take_while(|(first, second)| first == second).count()
    }
    let (first, second): (Vec<char>, Vec<char>) =
        (first.chars().collect(), second.chars().collect());
    let before = same(first.iter().zip(&second));
    let (first, second) = (&first[before..], &second[before..]);
    let after = same(first.iter().rev().zip(second.iter().rev()));
    first.len().max(second.len()) - after <= FEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_count_can_be_guessed() {
        for (first, second) in [("1", "2"), ("task-9", "task-10"), ("a", "a"), ("0007-x", "0008-x")]
        {
            assert!(are_guessable(first, second), "{first} {second}");
        }
        for (first, second) in [
            ("786512e2-9e0d-44bd-8f29-789f320fe840", "0b7b02b5-3f7e-4a3e-9c1d-2f1f5a6d7c11"),
            // Ids in the order of time have random parts.
            ("01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-8f1c-77e2f4a1d0c3"),
            ("V1StGXR8", "Uakgb_J5"),
        ] {
            assert!(!are_guessable(first, second), "{first} {second}");
        }
    }

    #[test]
    fn the_forms_of_iso_8601_are_timestamps() {
        for good in [
            "2026-11-23T10:00:00Z",
            "2026-11-23T10:00:00.123456+00:00",
            "2026-11-23T10:00",
            "2026-11-23t10:00:00.1z",
            "20261123T100000Z",
            "2026-11-23T10:00:00-0800",
            "2026-11-23T10:00:00+01",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "",
            "T",
            "1764000000",
            "2026-11-23",
            "2026-11-23 10:00:00",
            "Mon Nov 23",
            "2026-11-23T10:00:00+",
            "26-11-23T10:00",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
