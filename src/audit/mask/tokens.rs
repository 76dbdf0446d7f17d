//! Secrets that are known by their own form: tokens with a prefix, web tokens, blocks of private keys.

use std::ops::Range;

/// A kind of token.
struct Token {
    /// How it begins.
    prefix: &'static str,
    /// Which bytes follow.
    body: Body,
    /// How many at least.
    least: usize,
}

#[derive(Clone, Copy)]
enum Body {
    /// Letters and digits.
    Word,
    /// Capital letters and digits.
    Capital,
    /// Letters, digits, `-`, `_`.
    Dashed,
    /// Letters, digits, `-`, `_`, `.`, `=`, `+`, `/`.
    Encoded,
}

impl Body {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Encoded => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'-' | b'_' | b'.' | b'=' | b'+' | b'/')
            }
        }
    }
}

const fn token(prefix: &'static str, body: Body, least: usize) -> Token {
    Token { prefix, body, least }
}

/// The known kinds, each as its maker documents it.
const TOKENS: [Token; 49] = [
    token("ghp_", Body::Word, 30),
    token("gho_", Body::Word, 30),
    token("ghu_", Body::Word, 30),
    token("ghs_", Body::Encoded, 30),
    token("ghr_", Body::Word, 30),
    token("github_pat_", Body::Dashed, 30),
    token("glpat-", Body::Encoded, 16),
    token("gldt-", Body::Dashed, 16),
    token("glrt-", Body::Encoded, 16),
    token("glptt-", Body::Dashed, 16),
    token("sk-ant-", Body::Dashed, 16),
    token("sk-proj-", Body::Dashed, 16),
    token("sk-or-", Body::Dashed, 16),
    token("sk-", Body::Word, 20),
    token("sk_live_", Body::Word, 16),
    token("sk_test_", Body::Word, 16),
    token("rk_live_", Body::Word, 16),
    token("rk_test_", Body::Word, 16),
    token("whsec_", Body::Encoded, 16),
    token("xoxa-", Body::Dashed, 10),
    token("xoxb-", Body::Dashed, 10),
    token("xoxe-", Body::Dashed, 10),
    token("xoxo-", Body::Dashed, 10),
    token("xoxp-", Body::Dashed, 10),
    token("xoxr-", Body::Dashed, 10),
    token("xoxs-", Body::Dashed, 10),
    token("xapp-", Body::Dashed, 10),
    token("AKIA", Body::Capital, 16),
    token("ASIA", Body::Capital, 16),
    token("AIza", Body::Dashed, 30),
    token("ya29.", Body::Encoded, 20),
    token("GOCSPX-", Body::Dashed, 20),
    token("npm_", Body::Word, 30),
    token("pypi-", Body::Dashed, 40),
    token("rubygems_", Body::Word, 40),
    token("dckr_pat_", Body::Dashed, 20),
    token("dop_v1_", Body::Word, 32),
    token("hf_", Body::Word, 30),
    token("hvs.", Body::Encoded, 20),
    token("hvb.", Body::Encoded, 20),
    token("lin_api_", Body::Word, 20),
    token("figd_", Body::Dashed, 20),
    token("shpat_", Body::Word, 30),
    token("shpss_", Body::Word, 30),
    token("SG.", Body::Encoded, 40),
    token("r8_", Body::Word, 30),
    token("gsk_", Body::Word, 30),
    token("xai-", Body::Word, 40),
    token("AGE-SECRET-KEY-1", Body::Capital, 40),
];

/// Which bytes a token may begin with, so that most positions cost one look.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut index = 0;
    while index < TOKENS.len() {
        first[TOKENS[index].prefix.as_bytes()[0] as usize] = true;
        index += 1;
    }
    // Web tokens and key blocks.
    first[b'e' as usize] = true;
    first[b'-' as usize] = true;
    first
};

/// Bytes of a body in which its least length and a digit must show. Looking no further keeps the search linear where one
/// prefix follows on the other.
const PROBE: usize = 256;

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut in_word = false;
    // Before this place no web token begins; see `web_token`.
    let mut no_web_token = 0;
    while let Some(&byte) = bytes.get(at) {
        // A token begins where a word does: `task-force` holds no `sk-`.
        let starts = !in_word && FIRST[usize::from(byte)];
        in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        let secret = match &bytes[at..] {
            _ if !starts => None,
            [b'-', b'-', ..] => key_block(text, at),
            [b'e', b'y', b'J', ..] if at >= no_web_token => {
                let length = web_token(&bytes[at..]);
                no_web_token = length.err().map_or(0, |length| at + length);
                length.ok().map(|length| at..at + length)
            }
            rest => known(rest).map(|(prefix, length)| at + prefix..at + length),
        };
        if let Some(range) = secret {
            at = range.end;
            in_word = false;
            found.push(range);
        } else {
            at += 1;
        }
    }
}

/// Returns the lengths of the prefix, which is kept, and of the whole token.
fn known(bytes: &[u8]) -> Option<(usize, usize)> {
    TOKENS.iter().find_map(|token| {
        let body = bytes.strip_prefix(token.prefix.as_bytes())?;
        let reach = |body: &[u8]| body.iter().take_while(|byte| token.body.holds(**byte)).count();
        let probe = &body[..body.len().min(PROBE)];
        let probed = reach(probe);
        // What has no digit in so many letters is words.
        let random = probe[..probed].iter().any(u8::is_ascii_digit);
        let prefix = token.prefix.len();
        (probed >= token.least && random).then(|| (prefix, prefix + reach(body)))
    })
}

/// Three parts of base64 with dots between, the first of which is an object (`{"` encoded). Returns its length, or as an error the
/// length up to which no other one can begin either: the first part's, as what follows it would be the same.
fn web_token(bytes: &[u8]) -> Result<usize, usize> {
    let reach = |bytes: &[u8]| {
        let holds = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
        bytes.iter().take_while(holds).count()
    };
    let first = reach(bytes);
    let Some([b'.', second @ ..]) = bytes.get(first..) else { return Err(first) };
    let second = reach(second);
    if first < 8 || second < 8 {
        return Err(first);
    }
    let length = first + 1 + second;
    match bytes.get(length..) {
        Some([b'.', third @ ..]) => Ok(length + 1 + reach(third)),
        _ => Ok(length),
    }
}

/// The body of a private key, up to its end line or the end of the text.
fn key_block(text: &str, at: usize) -> Option<Range<usize>> {
    let header = text[at..].strip_prefix("-----BEGIN ")?;
    // The header is one short line; looking no further keeps this linear.
    let kind = header.get(..header.find("-----")?).filter(|kind| kind.len() < 64)?;
    if !kind.contains("PRIVATE KEY") {
        return None;
    }
    let start = at + "-----BEGIN ".len() + kind.len() + "-----".len();
    let end = text[start..].find("-----END").map_or(text.len(), |end| start + end);
    (end > start).then_some(start..end)
}
