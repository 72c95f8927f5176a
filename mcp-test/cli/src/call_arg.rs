//! `--call` and `--skip-call`: which tools may be called.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{CalledTools, ToolCalls};

/// The options that say which tools may be called.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct CallArgs {
    /// Call all tools, those annotated `readOnlyHint`, none, or this one: NAME, or NAME=JSON with its arguments; one annotated
    /// `destructiveHint` is called only if it is named (repeatable) [default: read-only]
    #[arg(long = "call", value_name = "all|read-only|none|NAME[=JSON]")]
    calls: Vec<CallArg>,
    /// Do not call this tool, whatever `--call` says (repeatable)
    #[arg(long = "skip-call", value_name = "NAME")]
    skipped: Vec<String>,
}

/// A value of `--call`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallArg {
    /// All tools that are not annotated as destructive.
    All,
    /// The tools that are annotated as read-only.
    ReadOnly,
    /// No tool, apart from those that are named as well.
    None,
    /// This tool, with these arguments.
    Tool(String, Option<Value>),
}

/// Why a value of `--call` is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallArgError {
    #[error("expected the name of a tool before `=`")]
    Nameless,
    #[error("the arguments of `{tool}` are not valid JSON: {problem}")]
    Invalid { tool: String, problem: String },
    #[error("the arguments of `{tool}` must be a JSON object, not {kind}")]
    NotAnObject { tool: String, kind: &'static str },
}

impl FromStr for CallArg {
    type Err = CallArgError;

    fn from_str(text: &str) -> Result<Self, CallArgError> {
        let (tool, arguments) = match text.split_once('=') {
            Some((tool, arguments)) => (tool, Some(arguments)),
            None => (text, None),
        };
        let Some(arguments) = arguments else {
            return match tool {
                "" => Err(CallArgError::Nameless),
                "all" => Ok(Self::All),
                "read-only" => Ok(Self::ReadOnly),
                "none" => Ok(Self::None),
                tool => Ok(Self::Tool(tool.to_owned(), None)),
            };
        };
        let tool = tool.to_owned();
        if tool.is_empty() {
            return Err(CallArgError::Nameless);
        }
        match Value::parse(arguments.as_bytes()) {
            Ok(parsed) if parsed.value.is_object() => Ok(Self::Tool(tool, Some(parsed.value))),
            Ok(parsed) => Err(CallArgError::NotAnObject { tool, kind: parsed.value.kind() }),
            Err(error) => Err(CallArgError::Invalid { tool, problem: error.to_string() }),
        }
    }
}

impl fmt::Display for CallArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::ReadOnly => f.write_str("read-only"),
            Self::None => f.write_str("none"),
            Self::Tool(tool, None) => f.write_str(tool),
            Self::Tool(tool, Some(arguments)) => write!(f, "{tool}={arguments}"),
        }
    }
}

impl CallArgs {
    /// The tools that all options together allow.
    pub(super) fn tool_calls(&self) -> ToolCalls {
        let skipped = self.skipped.iter().cloned().collect();
        let mut calls = ToolCalls { skipped, ..ToolCalls::default() };
        for arg in &self.calls {
            match arg {
                CallArg::All => calls.unnamed = CalledTools::All,
                CallArg::ReadOnly => calls.unnamed = CalledTools::ReadOnly,
                CallArg::None => calls.unnamed = CalledTools::None,
                CallArg::Tool(tool, arguments) => {
                    calls.named.insert(tool.clone(), arguments.clone());
                }
            }
        }
        calls
    }

    /// The options for a command that repeats a run.
    pub(super) fn rerun_args(&self) -> impl Iterator<Item = String> {
        let calls = self.calls.iter().map(|call| ["--call".to_owned(), call.to_string()]);
        let skipped = self.skipped.iter().map(|name| ["--skip-call".to_owned(), name.clone()]);
        calls.chain(skipped).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_may_have_arguments() {
        let read = |text: &str| text.parse::<CallArg>().map(|arg| arg.to_string());
        for text in
            ["all", "read-only", "none", "add", "files/read", r#"add={"a":1,"b":"x=y"}"#, "all={}"]
        {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
        let error = |text: &str| read(text).expect_err(text).to_string();
        insta::assert_snapshot!(error("={}"), @"expected the name of a tool before `=`");
        insta::assert_snapshot!(error("add=[1]"), @"the arguments of `add` must be a JSON object, not an array");
        insta::assert_snapshot!(error("add={a: 1}"), @"the arguments of `add` are not valid JSON: line 1, column 2: expected a member name in double quotes, found `a`");
    }

    #[test]
    fn the_last_of_all_and_none_counts_beside_the_named_tools() {
        let calls = |args: &[&str]| {
            let calls = args.iter().map(|arg| arg.parse().expect("a value")).collect();
            let calls = CallArgs { calls, ..CallArgs::default() }.tool_calls();
            (calls.unnamed, calls.named.into_keys().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(calls(&[]), (CalledTools::ReadOnly, String::new()));
        assert_eq!(calls(&["add"]), (CalledTools::ReadOnly, "add".to_owned()));
        assert_eq!(calls(&["none", "b", "a"]), (CalledTools::None, "a b".to_owned()));
        assert_eq!(calls(&["none", "all"]), (CalledTools::All, String::new()));
        assert_eq!(calls(&["all", "read-only"]), (CalledTools::ReadOnly, String::new()));
    }
}
