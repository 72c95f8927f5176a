//! Parses the arguments of the attribute option by option, so that an invalid one does not hide the next.
//!
//! Which options exist, and which values they accept, is decided in `validate`.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Token, token};

use crate::model::{Errors, ParsedOption};

/// Parses every option; an invalid one becomes an error.
pub(crate) fn options(arguments: TokenStream, errors: &mut Errors) -> Vec<ParsedOption> {
    let mut options = Vec::new();
    let reading = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match option(input) {
                Ok(written) => options.push(written),
                Err(error) => {
                    errors.push(error);
                    // What follows the comma is a new option, which can be checked on its own.
                    skip_to_comma(input);
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    // The closure fails only on a missing comma, for which `option` has checked.
    if let Err(error) = reading.parse2(arguments) {
        errors.push(error);
    }
    options
}

fn option(input: ParseStream<'_>) -> syn::Result<ParsedOption> {
    if let Some(case) = case(input)? {
        return Ok(case);
    }
    // `peek_any`, because `crate` is a keyword.
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected an option: a name, or `name = value`"));
    }
    let name = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        let equals: Token![=] = input.parse()?;
        // `Expr` would report the comma, or the end of the attribute, instead of the `=` without a value.
        if input.is_empty() || input.peek(Token![,]) {
            let message = format!("expected a value after `{name} =`");
            return Err(syn::Error::new_spanned(equals, message));
        }
        Some(input.parse::<Expr>()?)
    } else {
        None
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(ParsedOption { name, value });
    }
    // Likely guesses, because many attributes are written like this.
    let message = if value.is_none() && (input.peek(token::Paren) || input.peek(Token![:])) {
        format!("expected `=`: a value is written `{name} = …`")
    } else {
        "expected `,` between two options".to_owned()
    };
    Err(input.error(message))
}

/// A case, `case(…)` or `case::name(…)`, which is written like a call.
fn case(input: ParseStream<'_>) -> syn::Result<Option<ParsedOption>> {
    let after = input.fork();
    let is_case = after.parse::<Ident>().is_ok_and(|name| name == "case")
        && (after.peek(token::Paren) || after.peek(Token![::]));
    if !is_case {
        return Ok(None);
    }
    let name = input.fork().parse()?;
    Ok(Some(ParsedOption { name, value: Some(input.parse()?) }))
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        // There is a token tree as long as the input is not empty.
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn read(source: &str) -> (String, String) {
        let mut errors = Errors::default();
        let options = options(source.parse().expect("tokens"), &mut errors);
        let shown = options.iter().map(|option| {
            let value = option.value.to_token_stream().to_string();
            format!("{}={value}", option.name)
        });
        (shown.collect::<Vec<_>>().join("; "), errors.lines())
    }

    #[test]
    fn reads_flags_values_closures_and_a_keyword_as_name() {
        let (options, errors) = read(
            r#"matrix, target = |a, b| f::<A, B>(a, b), transports = [http, duplex], crate = ::x::y,"#,
        );
        assert_eq!(errors, "");
        insta::assert_snapshot!(options, @"matrix=; target=| a , b | f :: < A , B > (a , b); transports=[http , duplex]; crate=:: x :: y");
    }

    #[test]
    fn no_arguments_are_no_options() {
        assert_eq!(read(""), (String::new(), String::new()));
    }

    #[test]
    fn an_invalid_option_does_not_hide_others() {
        let (options, errors) = read(
            r#"target = , "x", matrix matrix, timeout("5s"), revisions: "a", timeout = 5 5, allow_skip"#,
        );
        assert_eq!(options, "allow_skip=");
        insta::assert_snapshot!(errors, @r#"
        = -> expected a value after `target =`
        "x" -> expected an option: a name, or `name = value`
        matrix -> expected `,` between two options
        ( -> expected `=`: a value is written `timeout = …`
        : -> expected `=`: a value is written `revisions = …`
        5 -> expected `,` between two options
        "#);
    }

    #[test]
    fn an_invalid_expression_is_reported_at_its_position() {
        let (options, errors) = read("target = fn, matrix");
        assert_eq!(options, "matrix=");
        insta::assert_snapshot!(errors, @"fn -> expected an expression");
    }
}
