//! Findings of one kind: a peer that does the same wrong thing a million times gets it reported a few times, and counted.
//!
//! Headlines hold names that the peer has chosen, so that it may make as many kinds as it likes: of these, too, only
//! some are kept.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Finding, Severity};
use crate::spec::Requirement;

/// How many findings of one kind are kept, each with another value that was received.
const KEPT: usize = 5;

/// How many kinds are kept. Beyond them, only the first finding to break its requirements at its severity is.
const KINDS: usize = 200;

/// How often each kind of finding was made.
#[derive(Default)]
pub(super) struct RepeatFilter {
    kinds: BTreeMap<Kind, Occurrences>,
    /// The requirements that were broken, and how severely.
    broken: BTreeSet<(Severity, Vec<&'static Requirement>)>,
    /// How many findings are of kinds that are not kept.
    others: usize,
}

/// Findings of one kind have one severity and one headline. What is wrong with a shape is of another kind at another place, but
/// for where in a list that is.
type Kind = (Severity, String, Option<Vec<String>>);

fn kind(finding: &Finding) -> Kind {
    let place = finding.shape.as_ref().map(|shape| {
        // A list with a thousand wrong items has one kind of finding, not a thousand.
        let parts = shape.pointer.tokens();
        parts
            .map(|part| if part.parse::<usize>().is_ok() { "*".to_owned() } else { part })
            .collect()
    });
    (finding.severity, finding.headline.clone(), place)
}

/// The findings of one kind.
struct Occurrences {
    times: usize,
    /// What those that are kept got.
    got: Vec<Option<String>>,
    /// Where the last one that is kept is among all.
    last: usize,
}

impl RepeatFilter {
    /// Whether a finding is kept, as the one with this index.
    pub(super) fn admits(&mut self, finding: &Finding, index: usize) -> bool {
        let is_first = self.broken.insert((finding.severity, finding.requirements.clone()));
        // Without this a peer could hide a broken MUST behind two hundred made-up method names.
        let has_room = self.kinds.len() < KINDS || is_first;
        let occurrences = match self.kinds.entry(kind(finding)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) if has_room => {
                new.insert(Occurrences { times: 0, got: Vec::new(), last: index })
            }
            Entry::Vacant(_) => {
                self.others += 1;
                return false;
            }
        };
        occurrences.times += 1;
        // The same value again shows nothing new, and would use up the few places.
        let kept = occurrences.got.len() < KEPT && !occurrences.got.contains(&finding.got);
        if kept {
            occurrences.got.push(finding.got.clone());
            occurrences.last = index;
        }
        kept
    }

    /// Says with the last of each kind how many there were beyond it, and with the last of all how many of kinds that
    /// are not kept; more than that where the trace has not kept all.
    pub(super) fn count(&self, findings: &mut [Finding], elided: bool) {
        for Occurrences { times, got, last } in self.kinds.values() {
            if let Some(finding) = findings.get_mut(*last) {
                add_count(finding, times - got.len(), "of this kind", elided);
            }
        }
        if let Some(finding) = findings.last_mut() {
            add_count(finding, self.others, "of other kinds", elided);
        }
    }
}

/// Says that there are more findings, if there are.
fn add_count(finding: &mut Finding, more: usize, of_which: &str, elided: bool) {
    if more == 0 {
        return;
    }
    let at_least = if elided { "at least " } else { "" };
    finding.add_hint(&format!("{at_least}{more} more {of_which}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Revision;

    #[test]
    fn what_is_demanded_does_not_hide_behind_what_is_advised() {
        let (mut repeats, mut findings) = (RepeatFilter::default(), Vec::new());
        let banner = |number: i32| Finding::peer("a banner").got(number.to_string());
        for finding in (0..10).map(|number| banner(number).should()).chain([banner(10)]) {
            if repeats.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        assert_eq!(findings.last().map(|finding| finding.severity), Some(Severity::Must));
    }

    #[test]
    fn of_too_many_kinds_some_are_kept_and_those_that_break_something_else() {
        let (mut repeats, mut findings) = (RepeatFilter::default(), Vec::new());
        let unknown = |number: i32| {
            Finding::peer(format!("no method `{number}`"))
                .requires(Requirement::JSONRPC_REQUEST_METHOD_STRING)
        };
        let version = Finding::peer("no version").requires(Requirement::JSONRPC_VERSION_MEMBER);
        let severe = Finding::peer("more severe than advice");
        let advice = (0..1000).map(|number| Finding::peer(format!("advice {number}")).should());
        for finding in advice.chain((0..1000).map(unknown)).chain([severe, version, unknown(0)]) {
            if repeats.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        repeats.count(&mut findings, true);
        let texts: Vec<String> = findings[KINDS - 1..].iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(texts.join("\n"), @"
        advice 199
        no method `0`
          hint: at least 1 more of this kind
        more severe than advice
        no version
          hint: at least 1799 more of other kinds
        ");
    }

    #[test]
    fn what_is_wrong_at_another_place_is_something_else() {
        let at = |place: &str| {
            let pointer = crate::json::Pointer::parse(place).expect("a pointer");
            let shape = crate::check::Shape::new("Tool", Revision::NEWEST, pointer, "");
            Finding::peer("a wrong shape").got("nothing").shape(shape)
        };
        let (mut repeats, mut findings) = (RepeatFilter::default(), Vec::new());
        for finding in ["/tools/0/name", "/tools/1/name", "/tools/1/inputSchema"].map(at) {
            if repeats.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        assert_eq!(findings, [at("/tools/0/name"), at("/tools/1/inputSchema")]);
    }

    #[test]
    fn a_finding_made_again_and_again_is_kept_a_few_times_and_counted() {
        let (mut repeats, mut findings) = (RepeatFilter::default(), Vec::new());
        let banners = (0..1000).map(|number| Finding::peer("a banner").got(number.to_string()));
        let others = (0..3).map(|_| Finding::peer("x"));
        for finding in others.chain(banners) {
            if repeats.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        repeats.count(&mut findings, false);
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(texts.join("\n"), @"
        x
          hint: 2 more of this kind
        a banner
          got 0
        a banner
          got 1
        a banner
          got 2
        a banner
          got 3
        a banner
          got 4
          hint: 995 more of this kind
        ");
    }
}
