//! Sets of variations in which any two that go together meet.

use std::collections::BTreeSet;

use super::variation::Variation;

/// The largest set: the more at once, the harder it is to see which one a failure is due to.
const LARGEST: usize = 16;

/// Sets of which each pair that goes together is in one; built greedily, always in the same way.
pub(crate) fn sets(variations: &[&'static Variation]) -> Vec<Vec<&'static Variation>> {
    let count = variations.len();
    let goes = |one: usize, other: usize| variations[one].goes_with(variations[other]);
    let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
    let mut open: BTreeSet<(usize, usize)> =
        pairs.filter(|(one, other)| goes(*one, *other)).collect();
    let mut sets = Vec::new();
    while let Some((one, other)) = open.first().copied() {
        let mut set = vec![one, other];
        while set.len() < LARGEST {
            let gain = |candidate: usize| {
                let of_pair = |it: &usize| (candidate.min(*it), candidate.max(*it));
                set.iter().map(of_pair).filter(|pair| open.contains(pair)).count()
            };
            let fits = |candidate: &usize| set.iter().all(|it| goes(*it, *candidate));
            // The first of the best, so that the sets do not depend on anything else.
            let best = (0..count).rev().filter(fits).max_by_key(|candidate| gain(*candidate));
            match best.filter(|candidate| gain(*candidate) > 0) {
                Some(candidate) => set.push(candidate),
                None => break,
            }
        }
        for one in &set {
            for other in &set {
                open.remove(&(*one, *other));
            }
        }
        sets.push(set.into_iter().map(|index| variations[index]).collect());
    }
    sets
}
