//! The names to which secrets are given.

/// How names of secrets end, in small letters and with `_` between the words.
const ENDINGS: [&str; 27] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "pw",
    "apikey",
    "api_key",
    "access_key",
    "secret_key",
    "secret_key_base",
    "private_key",
    "encryption_key",
    "signing_key",
    "auth_key",
    "account_key",
    "master_key",
    "shared_key",
    "credential",
    "credentials",
    "connection_string",
    "auth",
    "jwt",
    "signature",
    "sig",
];

/// Names that end so and hold none.
const HARMLESS: [&str; 4] = ["pwd", "oldpwd", "bypass", "compass"];

/// The headers of requests that hold one, in small letters.
const HEADERS: [&str; 14] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "apikey",
    "x-auth-token",
    "x-access-token",
    "private-token",
    "job-token",
    "x-vault-token",
    "x-goog-api-key",
    "x-amz-security-token",
    "cookie",
    "set-cookie",
];

/// Options that take one and whose names do not say so.
const OPTIONS: [&str; 3] = ["oauth2-bearer", "pass-phrase", "auth-basic"];

/// Longer names are none; looking back no further than this keeps the search linear.
pub(super) const LONGEST: usize = 80;

/// Returns whether a variable or key of this name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let words = words(name);
    if words.is_empty() || words.len() > LONGEST || HARMLESS.contains(&words.as_str()) {
        return false;
    }
    let plain = words.trim_end_matches(|character: char| character.is_ascii_digit());
    let plain = plain.trim_end_matches('_');
    ENDINGS.iter().any(|ending| {
        plain.strip_suffix(ending).is_some_and(|before| {
            // The longer words also end names that are written without a separator: PGPASSWORD, authtoken.
            before.is_empty()
                || before.ends_with('_')
                || (ending.len() >= 5 && !before.ends_with("by"))
        })
    })
}

/// Returns whether a header of this name holds a secret.
pub(super) fn is_header(name: &str) -> bool {
    HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header))
}

/// Returns whether a long option of this name, without dashes, takes a secret.
pub(super) fn is_option(name: &str) -> bool {
    OPTIONS.contains(&name) || is_secret(name)
}

/// Returns a name in small letters, with `_` for every separator and between the words of `camelCase`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for character in name.chars() {
        match character {
            '-' | '.' | '_' | '/' | ':' => words.push('_'),
            _ if character.is_ascii_uppercase() && after_small => {
                words.push('_');
                words.push(character.to_ascii_lowercase());
            }
            _ => words.push(character.to_ascii_lowercase()),
        }
        after_small = character.is_ascii_lowercase();
    }
    words
}
