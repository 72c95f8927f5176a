//! Suggestions for misspelled names, and lists of quoted names.

use mcp_test_core::expect::words;
use mcp_test_core::json::Pointer;

use super::message::CaseMessage;

/// Quotes and joins names: `` `a`, `b` and `c` ``.
pub(in crate::cases) fn quoted<T: AsRef<str>>(names: &[T]) -> String {
    words::list(names.iter().map(|name| format!("`{}`", name.as_ref())), "and")
}

/// The longest name and the largest number of candidates for which suggestions are computed.
const LOOKED_AT: (usize, usize) = (200, 1000);

/// A question that suggests the nearest candidate.
pub(in crate::cases) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// The nearest candidate, unless there is too much to compare.
pub(in crate::cases) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (long, many) = LOOKED_AT;
    // The edit distance takes time quadratic in the length, and names may come from anyone's file.
    if name.len() > long {
        return None;
    }
    let candidates = candidates.into_iter().filter(|candidate| candidate.len() <= long);
    words::closest(name, candidates.take(many))
}

/// A question that suggests a pointer with its first step that does not exist replaced by the nearest one that does.
pub(in crate::cases) fn did_you_mean_at(
    message: &CaseMessage,
    pointer: &Pointer,
) -> Option<String> {
    let (node, steps) = message.node.nearest(pointer);
    let names: Vec<String> = node.as_mapping()?.iter().map(|member| member.key.name()).collect();
    let wrong = pointer.tokens().nth(steps)?;
    let right = nearest(&wrong, names.iter().map(String::as_str))?;
    let step =
        |(index, step): (usize, String)| if index == steps { right.to_owned() } else { step };
    let steps = pointer.tokens().enumerate().map(step);
    let near = steps.fold(Pointer::root(), |at, step| at.member(&step));
    Some(format!("did you mean `{near}`?"))
}
