//! The names to which secrets are given.

/// How names of secrets end, in small letters and with `_` between the words.
const ENDINGS: [&str; 52] = [
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
    "passcode",
    "apitoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "sharedkey",
    "license_key",
    "licence_key",
    "deploy_key",
    "subscription_key",
    "consumer_key",
    "session_key",
    "storage_key",
    "functions_key",
    "webhook_url",
    "secret_string",
    "sessionid",
    "recovery_code",
    "mnemonic",
    "seed_phrase",
    "psk",
    "otp",
    "secret_id",
    "pass_phrase",
];

/// How names end that hold a secret where the value looks like one: keys of all kinds.
const WEAK: [&str; 9] =
    ["key", "code", "auth_config", "pin", "cookie", "session", "salt", "dsn", "cred"];

/// What stands before `pass` in words that mean something else.
const NO_PASSES: [&str; 11] =
    ["by", "com", "tres", "sur", "over", "under", "multi", "single", "first", "two", "test"];

/// Words before `key` that make it none.
const NO_KEYS: [&str; 18] = [
    "public",
    "pub",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "row",
    "index",
    "object",
    "group",
    "hot",
    "map",
    "host",
    "sha",
    "commit",
    "restore",
    "unique",
];

/// Names that end so and hold none.
const HARMLESS: [&str; 5] = ["pwd", "oldpwd", "bypass", "compass", "npm_config_otp"];

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
const OPTIONS: [&str; 12] = [
    "oauth2-bearer",
    "pass-phrase",
    "auth-basic",
    "storepass",
    "keypass",
    "srcstorepass",
    "deststorepass",
    "requirepass",
    "masterauth",
    "http-pass",
    "bearer",
    "rootpw",
];

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
    if plain.starts_with("tf_token_") {
        return true;
    }
    if let Some(before) = plain.strip_suffix("pass")
        && !NO_PASSES.iter().any(|word| before.ends_with(word))
    {
        return true;
    }
    ENDINGS.iter().any(|ending| {
        plain.strip_suffix(ending).is_some_and(|before| {
            // The longer words also end names that are written without a separator: PGPASSWORD, authtoken.
            before.is_empty()
                || before.ends_with('_')
                || (ending.len() >= 5 && !before.ends_with("by"))
        })
    })
}

/// Returns whether a variable or key of this name holds a secret if its value looks like one.
pub(super) fn may_be_secret(name: &str) -> bool {
    let words = words(name);
    if words.is_empty() || words.len() > LONGEST {
        return false;
    }
    let plain = words.trim_end_matches(|character: char| character.is_ascii_digit());
    let ending = WEAK.iter().find_map(|ending| plain.trim_end_matches('_').strip_suffix(ending));
    ending.is_some_and(|before| {
        let before = before.trim_end_matches('_');
        !NO_KEYS.iter().any(|word| before.ends_with(word))
    })
}

/// Returns whether a header of this name holds a secret.
pub(super) fn is_header(name: &str) -> bool {
    let is_own = name.contains('-') && !name.eq_ignore_ascii_case("www-authenticate");
    HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)) || is_own && is_secret(name)
}

/// Returns whether a header of this name holds a secret if its value looks like one.
pub(super) fn may_be_header(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_other = ["idempotency-key", "sec-websocket-key", "surrogate-key", "cache-key"];
    let is_one = lower.ends_with("-key") || lower.ends_with("-session");
    is_one && !is_other.contains(&lower.as_str()) && may_be_secret(name)
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
