//! The shape files, embedded with their texts.

pub(super) const FILES: &[(&str, &str)] = &[
    ("base.shapes", include_str!("base.shapes")),
    ("lifecycle.shapes", include_str!("lifecycle.shapes")),
    ("content.shapes", include_str!("content.shapes")),
    ("tools.shapes", include_str!("tools.shapes")),
    ("resources.shapes", include_str!("resources.shapes")),
    ("prompts.shapes", include_str!("prompts.shapes")),
    ("completion.shapes", include_str!("completion.shapes")),
    ("logging.shapes", include_str!("logging.shapes")),
    ("sampling.shapes", include_str!("sampling.shapes")),
    ("elicitation.shapes", include_str!("elicitation.shapes")),
    ("roots.shapes", include_str!("roots.shapes")),
    ("tasks.shapes", include_str!("tasks.shapes")),
    ("subscriptions.shapes", include_str!("subscriptions.shapes")),
    ("input.shapes", include_str!("input.shapes")),
];
