//! Findings of one kind: a peer that does the same wrong thing a million times is told so once.

use std::collections::BTreeMap;

use crate::check::{Finding, Severity};

/// How many findings of one kind are kept, each with something else that came.
const KEPT: usize = 5;

/// How often each kind of finding was made.
#[derive(Default)]
pub(in crate::check) struct Alike(BTreeMap<Kind, Made>);

/// What is alike has one severity and one headline. What is wrong with a shape is of another kind at another place, but
/// for where in a list that is.
type Kind = (Severity, String, Option<Vec<String>>);

fn kind(finding: &Finding) -> Kind {
    let place = finding.shape.as_ref().map(|shape| {
        let parts = shape.pointer.tokens();
        parts
            .map(|part| if part.parse::<usize>().is_ok() { "*".to_owned() } else { part })
            .collect()
    });
    (finding.severity, finding.headline.clone(), place)
}

struct Made {
    times: usize,
    /// What those that are kept got.
    got: Vec<Option<String>>,
    /// Where the last one that is kept is among all.
    last: usize,
}

impl Alike {
    /// Whether a finding is kept, as the one with this index.
    pub(in crate::check) fn admits(&mut self, finding: &Finding, index: usize) -> bool {
        let first = Made { times: 0, got: Vec::new(), last: index };
        let made = self.0.entry(kind(finding)).or_insert(first);
        made.times += 1;
        let kept = made.got.len() < KEPT && !made.got.contains(&finding.got);
        if kept {
            made.got.push(finding.got.clone());
            made.last = index;
        }
        kept
    }

    /// Says with the last of each kind how many there were beyond it; more than that where the trace has not kept all.
    pub(in crate::check) fn count(&self, findings: &mut [Finding], elided: bool) {
        for Made { times, got, last } in self.0.values() {
            let more = times - got.len();
            let Some(finding) = findings.get_mut(*last).filter(|_| more > 0) else { continue };
            let at_least = if elided { "at least " } else { "" };
            let more = format!("{at_least}{more} more of this kind");
            finding.hint = Some(match finding.hint.take() {
                Some(hint) => format!("{hint}\n{more}"),
                None => more,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Revision;

    #[test]
    fn what_is_demanded_does_not_hide_behind_what_is_advised() {
        let (mut alike, mut findings) = (Alike::default(), Vec::new());
        let banner = |number: i32| Finding::peer("a banner").got(number.to_string());
        for finding in (0..10).map(|number| banner(number).should()).chain([banner(10)]) {
            if alike.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        assert_eq!(findings.last().map(|finding| finding.severity), Some(Severity::Must));
    }

    #[test]
    fn what_is_wrong_at_another_place_is_something_else() {
        let at = |place: &str| {
            let pointer = crate::json::Pointer::parse(place).expect("a pointer");
            let shape = crate::check::Shape::new("Tool", Revision::NEWEST, pointer, "");
            Finding::peer("a wrong shape").got("nothing").shape(shape)
        };
        let (mut alike, mut findings) = (Alike::default(), Vec::new());
        for finding in ["/tools/0/name", "/tools/1/name", "/tools/1/inputSchema"].map(at) {
            if alike.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        assert_eq!(findings, [at("/tools/0/name"), at("/tools/1/inputSchema")]);
    }

    #[test]
    fn a_finding_made_again_and_again_is_kept_a_few_times_and_counted() {
        let (mut alike, mut findings) = (Alike::default(), Vec::new());
        let banners = (0..1000).map(|number| Finding::peer("a banner").got(number.to_string()));
        let others = (0..3).map(|_| Finding::peer("x"));
        for finding in others.chain(banners) {
            if alike.admits(&finding, findings.len()) {
                findings.push(finding);
            }
        }
        alike.count(&mut findings, false);
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
