//! What a server lists: tools, prompts, resources and resource templates.

use super::Capability;

macro_rules! item_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident, $method:literal, $member:literal, $key:literal, $noun:literal, $capability:ident;)+) => {
        /// A kind of item that a server lists.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[doc(hidden)]
        pub enum ItemKind {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl ItemKind {
            /// Every kind.
            pub const ALL: [Self; 4] = [$(Self::$variant,)+];

            /// The method that lists the items.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self { $(Self::$variant => $method,)+ }
            }

            /// The member of the result that contains the items.
            #[must_use]
            pub const fn member(self) -> &'static str {
                match self { $(Self::$variant => $member,)+ }
            }

            /// The member that identifies an item.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)+ }
            }

            /// The noun for one item.
            #[must_use]
            pub const fn noun(self) -> &'static str {
                match self { $(Self::$variant => $noun,)+ }
            }

            /// The capability without which a server has no such items.
            #[must_use]
            pub const fn capability(self) -> Capability {
                match self { $(Self::$variant => Capability::$capability,)+ }
            }
        }
    };
}

item_kinds! {
    /// A tool.
    Tool, "tools/list", "tools", "name", "tool", Tools;
    /// A prompt.
    Prompt, "prompts/list", "prompts", "name", "prompt", Prompts;
    /// A resource.
    Resource, "resources/list", "resources", "uri", "resource", Resources;
    /// A template for the URIs of resources.
    ResourceTemplate, "resources/templates/list", "resourceTemplates", "uriTemplate", "resource template", Resources;
}
