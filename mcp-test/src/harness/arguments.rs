//! The arguments of a test binary, as libtest takes them.
//!
//! Read by hand: libtest-mimic takes one filter word at most, knows no `--no-capture`, and reports mistakes in its own way.

use std::num::NonZeroUsize;

use libtest_mimic::{ColorSetting, FormatSetting};

/// What a test binary is asked to do.
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

/// Arguments that libtest would refuse too.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WrongUsage {
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

/// What `--help` prints.
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
        words: impl IntoIterator<Item = std::ffi::OsString>,
    ) -> Result<Self, WrongUsage> {
        let text = |word: std::ffi::OsString| {
            word.into_string()
                .map_err(|word| WrongUsage::NotText(word.to_string_lossy().into_owned()))
        };
        let words: Vec<String> = words.into_iter().map(text).collect::<Result<_, _>>()?;
        let mut words = words.into_iter();
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
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
            return Err(WrongUsage::IgnoredTwice);
        }
        Ok(arguments)
    }

    fn long(
        &mut self,
        name: &str,
        value: Option<String>,
        words: &mut dyn Iterator<Item = String>,
    ) -> Result<(), WrongUsage> {
        if let Some(flag) = self.flag(name) {
            if let Some(flag) = flag {
                *flag = true;
            }
            return match value {
                Some(_) => Err(WrongUsage::Superfluous(name.to_owned())),
                None => Ok(()),
            };
        }
        if !["skip", "test-threads", "format", "color", "logfile"].contains(&name) {
            return Err(WrongUsage::Unrecognized(name.to_owned()));
        }
        let value =
            value.or_else(|| words.next()).ok_or_else(|| WrongUsage::Missing(name.to_owned()))?;
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

    /// The place of a flag, which is nowhere for one that changes nothing.
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
            "nocapture" | "no-capture" | "show-output" | "report-time" | "ensure-time" => None,
            "exclude-should-panic" | "force-run-in-process" => None,
            _ => return None,
        })
    }

    fn short(
        &mut self,
        word: &str,
        words: &mut dyn Iterator<Item = String>,
    ) -> Result<(), WrongUsage> {
        match word {
            "-q" => self.quiet = true,
            "-h" => self.help = true,
            "-Z" => drop(words.next().ok_or_else(|| WrongUsage::Missing("Z".to_owned()))?),
            _ if word.starts_with("-Z") => {}
            _ => {
                return Err(WrongUsage::Unrecognized(
                    word.trim_start_matches('-').chars().take(1).collect(),
                ));
            }
        }
        Ok(())
    }

    /// Whether a test of this name is wanted at all; an ignored one may still not run.
    pub(super) fn selects(&self, name: &str) -> bool {
        let matches = |pattern: &String| match self.exact {
            true => name == pattern,
            false => name.contains(pattern.as_str()),
        };
        (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skip.iter().any(matches)
    }

    /// What libtest-mimic needs to know, when all but `unwanted` are wanted.
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

fn format(value: String) -> Result<FormatSetting, WrongUsage> {
    match value.as_str() {
        "pretty" => Ok(FormatSetting::Pretty),
        "terse" => Ok(FormatSetting::Terse),
        "json" => Ok(FormatSetting::Json),
        _ => Err(wrong("format", "pretty, terse, or json", value)),
    }
}

fn color(value: String) -> Result<ColorSetting, WrongUsage> {
    match value.as_str() {
        "auto" => Ok(ColorSetting::Auto),
        "always" => Ok(ColorSetting::Always),
        "never" => Ok(ColorSetting::Never),
        _ => Err(wrong("color", "auto, always, or never", value)),
    }
}

fn wrong(option: &'static str, expected: &'static str, got: String) -> WrongUsage {
    WrongUsage::Value { option, expected, got }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, WrongUsage> {
        Arguments::parse(line.split_whitespace().map(Into::into))
    }

    fn right(line: &str) -> Arguments {
        parse(line).expect("right arguments")
    }

    #[test]
    fn several_filters_select_what_contains_one_of_them() {
        let arguments = right("add sub --skip http");
        assert!(arguments.selects("adds") && arguments.selects("subtracts"));
        assert!(!arguments.selects("adds::http") && !arguments.selects("divides"));
        assert!(right("").selects("anything"));
    }

    #[test]
    fn exact_holds_for_filters_and_for_skip() {
        let arguments = right("--exact adds divides --skip=divides");
        assert!(arguments.selects("adds"));
        assert!(!arguments.selects("adds::http") && !arguments.selects("divides"));
    }

    #[test]
    fn what_nextest_and_cargo_say_is_understood() {
        assert!(right("--list --format terse --ignored").list);
        assert_eq!(right("--exact adds::http --nocapture").filters, ["adds::http"]);
        assert_eq!(right("--no-capture --show-output -Z unstable-options").filters, [""; 0]);
        assert_eq!(right("--test-threads 3").test_threads, NonZeroUsize::new(3));
        assert_eq!(right("--test-threads=3 -q").test_threads, NonZeroUsize::new(3));
        assert_eq!(right("-- --list").filters, ["--list"]);
    }

    #[test]
    fn mistakes_read_as_those_of_libtest() {
        let say = |line: &str| parse(line).expect_err("wrong arguments").to_string();
        insta::assert_snapshot!(say("--tests"), @"Unrecognized option: 'tests'");
        insta::assert_snapshot!(say("-x"), @"Unrecognized option: 'x'");
        insta::assert_snapshot!(say("--skip"), @"Argument to option 'skip' missing");
        insta::assert_snapshot!(say("--list=yes"), @"Option 'list' does not take an argument");
        insta::assert_snapshot!(say("--test-threads 0"), @"argument for --test-threads must be a number > 0 (was 0)");
        insta::assert_snapshot!(say("--format xml"), @"argument for --format must be pretty, terse, or json (was xml)");
        insta::assert_snapshot!(say("--ignored --include-ignored"), @"the options --include-ignored and --ignored are mutually exclusive");
    }
}
