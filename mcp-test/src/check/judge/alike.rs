//! Findings of one kind: a peer that does the same wrong thing a million times is told so once.

use std::collections::BTreeMap;

use crate::check::Finding;

/// How many findings of one kind are kept.
const KEPT: usize = 5;

/// How often each kind of finding was made.
#[derive(Default)]
pub(super) struct Alike(BTreeMap<String, Made>);

struct Made {
    times: usize,
    /// Where the last one that is kept is among all.
    last: usize,
}

impl Alike {
    /// Whether a finding is kept, as the one with this index.
    pub(super) fn admits(&mut self, finding: &Finding, index: usize) -> bool {
        let first = Made { times: 0, last: index };
        let made = self.0.entry(finding.headline.clone()).or_insert(first);
        made.times += 1;
        let kept = made.times <= KEPT;
        if kept {
            made.last = index;
        }
        kept
    }

    /// Says with the last of each kind how many there were beyond it.
    pub(super) fn count(&self, findings: &mut [Finding]) {
        for Made { times, last } in self.0.values() {
            let more = times.saturating_sub(KEPT);
            let Some(finding) = findings.get_mut(*last).filter(|_| more > 0) else { continue };
            let more = format!("{more} more of this kind");
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

    #[test]
    fn a_finding_made_again_and_again_is_kept_a_few_times_and_counted() {
        let (mut alike, mut findings) = (Alike::default(), Vec::new());
        for number in 0..1000 {
            for finding in [Finding::peer("a banner").got(number.to_string()), Finding::peer("x")] {
                if finding.headline == "a banner" || number == 0 {
                    if alike.admits(&finding, findings.len()) {
                        findings.push(finding);
                    }
                }
            }
        }
        alike.count(&mut findings);
        assert_eq!(findings.len(), 6);
        insta::assert_snapshot!(findings[5], @r"
        a banner
          got 4
          hint: 995 more of this kind
        ");
        assert!(findings[..5].iter().all(|finding| finding.hint.is_none()));
    }
}
