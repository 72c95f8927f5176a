//! The skills extension.

mod skills_client;
mod skills_server;

scenarios![
    sep_2640_skills_directory,
    sep_2640_skills_enumeration,
    sep_2640_skills_manifest,
    sep_2640_client_no_prefetch,
    sep_2640_client_verify_digest,
    sep_2640_client_verify_size,
    sep_2640_client_verify_frontmatter,
];
