//! The colours of the console.

use anstyle::{AnsiColor, Style};

pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const UNSURE: Style = AnsiColor::Yellow.on_default();
pub(super) const NEUTRAL: Style = AnsiColor::Cyan.on_default();
pub(super) const FAINT: Style = AnsiColor::BrightBlack.on_default();
