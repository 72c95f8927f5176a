//! Expands an invalid scenario to a plain function, so that no other error or editor hint is lost.
//!
//! The function is repaired as far as its errors say how: one that is not `async`, for example, would otherwise get a
//! second error at every `.await`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{FnArg, Path, ReturnType, Signature, parse_quote};

use crate::model::{Errors, Function};
use crate::validate::{Tests, belongs_to_tests, borrows_mutably, is_unit};

/// The errors, and the unchanged item.
pub(crate) fn untouched(errors: &Errors, item: &TokenStream) -> TokenStream {
    quote!(#errors #item)
}

/// The errors, and the repaired function.
pub(crate) fn repaired(
    errors: &Errors,
    mut function: Function,
    krate: &Path,
    tests: Tests,
) -> TokenStream {
    function.attributes.retain(|attribute| !belongs_to_tests(attribute));
    let returns_ok = ends_with_ok(&function.body.stream());
    repair(&mut function.signature, returns_ok, krate, tests);
    // Nothing calls the function; warnings about unused items would only distract from the errors.
    quote! {
        #errors
        #[allow(dead_code, unused_variables, unused_mut)]
        #function
    }
}

fn repair(signature: &mut Signature, returns_ok: bool, krate: &Path, tests: Tests) {
    signature.constness = None;
    signature.asyncness.get_or_insert_default();
    match signature.inputs.first_mut() {
        None => {
            // With the hygiene of the user's code, because the body may use the context already.
            let name = Ident::new(tests.name(), Span::call_site());
            let context = Ident::new(tests.context(), Span::call_site());
            signature.inputs.push(parse_quote!(#name: &mut #krate::__private::#context));
        }
        // The body uses a `Ctx` through `&mut`; by value or by `&` it would get borrow errors as well.
        Some(FnArg::Typed(typed)) if !borrows_mutably(&typed.ty) => {
            let ty = match &*typed.ty {
                syn::Type::Reference(reference) => &reference.elem,
                other => other,
            };
            *typed.ty = parse_quote!(&mut #ty);
        }
        Some(_) => {}
    }
    let unit = match &signature.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => is_unit(ty),
    };
    // With any other last expression, a `Result` return type would only cause another error.
    if unit && returns_ok {
        signature.output = parse_quote! {
            -> ::core::result::Result<(), ::std::boxed::Box<dyn ::std::error::Error + Send + Sync>>
        };
    }
}

/// Whether the last expression of a body is `Ok(…)`.
fn ends_with_ok(body: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
    match &tokens[..] {
        [.., TokenTree::Ident(ok), TokenTree::Group(_)] => ok == "Ok",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syn::{File, Item, ItemFn, Type};

    fn fallback(arguments: &str, item: &str) -> (usize, Vec<Item>) {
        let expanded =
            crate::scenario(arguments.parse().expect("tokens"), &item.parse().expect("tokens"));
        let file: File = syn::parse2(expanded).expect("items");
        let (errors, rest): (Vec<Item>, Vec<Item>) =
            file.items.into_iter().partition(|item| matches!(item, Item::Macro(_)));
        (errors.len(), rest)
    }

    fn function(arguments: &str, item: &str) -> ItemFn {
        match fallback(arguments, item).1.remove(0) {
            Item::Fn(function) => function,
            _ => panic!("expected a function"),
        }
    }

    fn head(item: &str) -> String {
        let signature = function("", item).sig;
        quote::quote!(#signature).to_string()
    }

    #[test]
    fn each_mistake_is_one_compile_error_before_the_function() {
        let (errors, rest) =
            fallback("matrx, timeout = 5", "fn f(ctx: &mut Ctx) -> Result<()> { Ok(()) }");
        assert_eq!((errors, rest.len()), (3, 1));
    }

    #[test]
    fn the_function_is_repaired() {
        insta::assert_snapshot!(head("fn f() { ctx.ping().await?; Ok(()) }"), @"async fn f (ctx : & mut :: mcp_test :: __private :: Ctx) -> :: core :: result :: Result < () , :: std :: boxed :: Box < dyn :: std :: error :: Error + Send + Sync > >");
        insta::assert_snapshot!(head("const fn f(ctx: &'static Ctx) { }"), @"async fn f (ctx : & mut Ctx)");
        insta::assert_snapshot!(head("async fn f(ctx: Ctx, more: u8) -> () { }"), @"async fn f (ctx : & mut Ctx , more : u8) -> ()");
        insta::assert_snapshot!(head("async fn f<T>(ctx: &mut Ctx) -> Result<T> { }"), @"async fn f < T > (ctx : & mut Ctx) -> Result < T >");
    }

    #[test]
    fn the_function_gets_the_context_of_a_test_of_a_client() {
        let signature = function("client = my_client", "fn f() { Ok(()) }").sig;
        let head = quote::quote!(#signature).to_string();
        assert!(head.contains("server : & mut :: mcp_test :: __private :: ServerCtx"), "{head}");
    }

    #[test]
    fn a_valid_function_with_invalid_options_is_unchanged() {
        let kept =
            function("matrx", "/// Docs.\npub async fn f(mut c: &mut Ctx) -> Result<()> { body }");
        assert!(matches!(kept.vis, syn::Visibility::Public(_)));
        assert_eq!(kept.attrs.len(), 2);
        assert_eq!(kept.block.stmts.len(), 1);
        let Some(syn::FnArg::Typed(argument)) = kept.sig.inputs.first() else {
            panic!("expected an argument");
        };
        assert!(matches!(&*argument.ty, Type::Reference(_)));
    }

    #[test]
    fn test_attributes_are_removed() {
        let kept = function(
            "",
            "#[test] #[ignore] #[should_panic] #[tokio::test] #[mcp_scenario] async fn f(c: &mut Ctx) -> R {}",
        );
        assert_eq!(kept.attrs.len(), 1);
        assert!(kept.attrs[0].path().is_ident("allow"));
    }

    #[test]
    fn an_item_that_is_not_a_function_is_unchanged() {
        let (errors, rest) = fallback("", "struct Wrong { field: u8 }");
        assert_eq!(errors, 1);
        assert!(matches!(rest[..], [Item::Struct(_)]));
        let expanded = crate::scenario(
            "".parse().expect("tokens"),
            &"async fn f(ctx: &mut Ctx);".parse().expect("tokens"),
        );
        assert!(expanded.to_string().ends_with("async fn f (ctx : & mut Ctx) ;"), "{expanded}");
    }
}
