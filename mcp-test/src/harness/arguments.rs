//! The arguments of a test binary, as libtest takes them.
//!
//! Parsed here, since libtest-mimic takes one filter at most, does not know `--no-capture`, and reports errors differently.

use std::num::NonZeroUsize;

use libtest_mimic::{ColorSetting, FormatSetting};

/// The arguments of a test binary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) filters: Vec<String>,
    pub(super) skip: Vec<String>,
    pub(super) exact: bool,
    pub(super) ignored: bool,
    pub(super) include_ignored: bool,
    pub(super) list: bool,
    pub(super) help: bool,
    pub(super) bench: bool,
    pub(super) test: bool,
    pub(super) quiet: bool,
    pub(super) format: Option<FormatSetting>,
    pub(super) color: Option<ColorSetting>,
    pub(super) logfile: Option<String>,
    pub(super) test_threads: Option<NonZeroUsize>,
}

/// Invalid arguments, in the words of libtest.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("Unrecognized option: '{0}'")]
    Unrecognized(String),
    #[error("Argument to option '{0}' missing")]
    Missing(String),
    #[error("Option '{0}' does not take an argument")]
    Superfluous(String),
    #[error("argument for --{option} must be {expected} (was {got})")]
    Value { option: &'static str, expected: &'static str, got: String },
    #[error("the options --include-ignored and --ignored are mutually exclusive")]
    IgnoredTwice,
    #[error("{0} is not valid UTF-8")]
    NotText(String),
}

/// The text of `--help`.
pub(super) const HELP: &str = "\
Usage: [OPTIONS] [FILTERS...]

FILTERS are matched against the names of all tests; those whose name contains one of them are run.

Options:
        --include-ignored   Run ignored and not ignored tests
        --ignored           Run only ignored tests
        --exact             Match FILTERS and --skip exactly
        --skip FILTER       Leave out tests whose names contain FILTER; may be used several times
        --list              List all tests instead of running them
        --test-threads N    How many tests run at the same time (also RUST_TEST_THREADS)
        --format pretty|terse|json
        --color auto|always|never
        --logfile PATH      Write the report to a file
    -q, --quiet             One character per test
        --no-capture, --nocapture, --show-output
                            Accepted: what a test prints is never captured here
        --test, --bench     Run tests, or benchmarks, of which there are none
    -h, --help              Show this text
";

impl Arguments {
    pub(super) fn parse(
        arguments: impl IntoIterator<Item = std::ffi::OsString>,
    ) -> Result<Self, ArgumentError> {
        let text = |word: std::ffi::OsString| {
            word.into_string()
                .map_err(|word| ArgumentError::NotText(word.to_string_lossy().into_owned()))
        };
        let words: Vec<String> = arguments.into_iter().map(text).collect::<Result<_, _>>()?;
        let mut words = words.into_iter();
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                // As in libtest, everything after `--` is a filter.
                Some("") => arguments.filters.extend(words.by_ref()),
                Some(option) => {
                    let (name, value) = match option.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_owned())),
                        None => (option, None),
                    };
                    arguments.long(name, value, &mut words)?;
                }
                None if word.len() > 1 && word.starts_with('-') => {
                    arguments.short(&word, &mut words)?;
                }
                None => arguments.filters.push(word),
            }
        }
        if arguments.ignored && arguments.include_ignored {
            return Err(ArgumentError::IgnoredTwice);
        }
        Ok(arguments)
    }

    fn long(
        &mut self,
        name: &str,
        value: Option<String>,
        words: &mut dyn Iterator<Item = String>,
    ) -> Result<(), ArgumentError> {
        if let Some(flag) = self.flag(name) {
            if let Some(flag) = flag {
                *flag = true;
            }
            return match value {
                Some(_) => Err(ArgumentError::Superfluous(name.to_owned())),
                None => Ok(()),
            };
        }
        if !["skip", "test-threads", "format", "color", "logfile"].contains(&name) {
            return Err(ArgumentError::Unrecognized(name.to_owned()));
        }
        let value = value
            .or_else(|| words.next())
            .ok_or_else(|| ArgumentError::Missing(name.to_owned()))?;
        match name {
            "skip" => self.skip.push(value),
            "logfile" => self.logfile = Some(value),
            "test-threads" => {
                let threads = value.parse();
                let wrong = |_| wrong("test-threads", "a number > 0", value);
                self.test_threads = Some(threads.map_err(wrong)?);
            }
            "format" => self.format = Some(format(value)?),
            _ => self.color = Some(color(value)?),
        }
        Ok(())
    }

    /// The field of a flag; `Some(None)` for one that is accepted and has no effect.
    fn flag(&mut self, name: &str) -> Option<Option<&mut bool>> {
        Some(match name {
            "exact" => Some(&mut self.exact),
            "ignored" => Some(&mut self.ignored),
            "include-ignored" => Some(&mut self.include_ignored),
            "list" => Some(&mut self.list),
            "help" => Some(&mut self.help),
            "bench" => Some(&mut self.bench),
            "test" => Some(&mut self.test),
            "quiet" => Some(&mut self.quiet),
            // Accepted without an effect: they are about what libtest does and this harness does not.
            "nocapture" | "no-capture" | "show-output" | "report-time" | "ensure-time" => None,
            "exclude-should-panic" | "force-run-in-process" => None,
            _ => return None,
        })
    }

    fn short(
        &mut self,
        word: &str,
        words: &mut dyn Iterator<Item = String>,
    ) -> Result<(), ArgumentError> {
        match word {
            "-q" => self.quiet = true,
            "-h" => self.help = true,
            // Tools pass `-Z unstable-options` along with `--format json`.
            "-Z" => drop(words.next().ok_or_else(|| ArgumentError::Missing("Z".to_owned()))?),
            _ if word.starts_with("-Z") => {}
            _ => {
                return Err(ArgumentError::Unrecognized(
                    word.trim_start_matches('-').chars().take(1).collect(),
                ));
            }
        }
        Ok(())
    }

    /// Whether the filters select a test of this name; an ignored one may still not run.
    pub(super) fn selects(&self, name: &str) -> bool {
        let matches = |pattern: &String| match self.exact {
            true => name == pattern,
            false => name.contains(pattern.as_str()),
        };
        (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skip.iter().any(matches)
    }

    /// The arguments for libtest-mimic, which skips exactly the tests in `unwanted`: it knows only one filter.
    pub(super) fn to_mimic(
        &self,
        unwanted: Vec<String>,
        threads: Option<NonZeroUsize>,
    ) -> libtest_mimic::Arguments {
        libtest_mimic::Arguments {
            include_ignored: self.include_ignored,
            ignored: self.ignored,
            test: self.test,
            bench: self.bench,
            list: self.list,
            quiet: self.quiet,
            test_threads: self.test_threads.or(threads).map(NonZeroUsize::get),
            logfile: self.logfile.clone(),
            color: self.color,
            format: self.format,
            exact: true,
            skip: unwanted,
            ..libtest_mimic::Arguments::default()
        }
    }
}

fn format(value: String) -> Result<FormatSetting, ArgumentError> {
    match value.as_str() {
        "pretty" => Ok(FormatSetting::Pretty),
        "terse" => Ok(FormatSetting::Terse),
        "json" => Ok(FormatSetting::Json),
        _ => Err(wrong("format", "pretty, terse, or json", value)),
    }
}

fn color(value: String) -> Result<ColorSetting, ArgumentError> {
    match value.as_str() {
        "auto" => Ok(ColorSetting::Auto),
        "always" => Ok(ColorSetting::Always),
        "never" => Ok(ColorSetting::Never),
        _ => Err(wrong("color", "auto, always, or never", value)),
    }
}

fn wrong(option: &'static str, expected: &'static str, got: String) -> ArgumentError {
    ArgumentError::Value { option, expected, got }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, ArgumentError> {
        Arguments::parse(line.split_whitespace().map(Into::into))
    }

    fn valid(line: &str) -> Arguments {
        parse(line).expect("valid arguments")
    }

    #[test]
    fn any_of_several_filters_selects() {
        let arguments = valid("add sub --skip http");
        assert!(arguments.selects("adds") && arguments.selects("subtracts"));
        assert!(!arguments.selects("adds::http") && !arguments.selects("divides"));
        assert!(valid("").selects("anything"));
    }

    #[test]
    fn exact_applies_to_filters_and_skip() {
        let arguments = valid("--exact adds divides --skip=divides");
        assert!(arguments.selects("adds"));
        assert!(!arguments.selects("adds::http") && !arguments.selects("divides"));
    }

    #[test]
    fn arguments_of_nextest_and_cargo_are_accepted() {
        assert!(valid("--list --format terse --ignored").list);
        assert_eq!(valid("--exact adds::http --nocapture").filters, ["adds::http"]);
        assert_eq!(valid("--no-capture --show-output -Z unstable-options").filters, [""; 0]);
        assert_eq!(valid("--test-threads 3").test_threads, NonZeroUsize::new(3));
        assert_eq!(valid("--test-threads=3 -q").test_threads, NonZeroUsize::new(3));
        assert_eq!(valid("-- --list").filters, ["--list"]);
    }

    #[test]
    fn errors_read_as_those_of_libtest() {
        let say = |line: &str| parse(line).expect_err("invalid arguments").to_string();
        insta::assert_snapshot!(say("--tests"), @"Unrecognized option: 'tests'");
        insta::assert_snapshot!(say("-x"), @"Unrecognized option: 'x'");
        insta::assert_snapshot!(say("--skip"), @"Argument to option 'skip' missing");
        insta::assert_snapshot!(say("--list=yes"), @"Option 'list' does not take an argument");
        insta::assert_snapshot!(say("--test-threads 0"), @"argument for --test-threads must be a number > 0 (was 0)");
        insta::assert_snapshot!(say("--format xml"), @"argument for --format must be pretty, terse, or json (was xml)");
        insta::assert_snapshot!(say("--ignored --include-ignored"), @"the options --include-ignored and --ignored are mutually exclusive");
    }
}
