//! Paths that stand in addresses: `file:` URLs (RFC 8089). Looks at no file.

/// Returns the path that a `file:` URL names, in any case: with its numbers read, without its query and fragment. Whatever host stands in it is
/// taken for this machine. None: it is no such URL.
#[must_use]
pub fn path_of_url(url: &str) -> Option<String> {
    let scheme = url.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = &url[scheme.len()..];
    let path = match rest.strip_prefix("//") {
        Some(named) => named.find('/').map_or(named, |start| &named[start..]),
        None => rest,
    };
    Some(read_numbers(path.split(['?', '#']).next().unwrap_or(path)))
}

/// Returns a text with `%41` read as what it stands for.
#[must_use]
pub fn read_numbers(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((first, rest)) = left.split_first() {
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.filter(|_| *first == b'%').and_then(|d| u8::from_str_radix(d, 16).ok());
        bytes.push(number.unwrap_or(*first));
        left = if number.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::path_of_url;

    #[test]
    fn addresses_of_files_are_their_paths() {
        for (text, expected) in [
            ("FILE:///etc/shadow", Some("/etc/shadow")),
            ("file:/etc/shadow", Some("/etc/shadow")),
            ("file://localhost/etc/%73hadow", Some("/etc/shadow")),
            ("file:///a/.env#x", Some("/a/.env")),
            ("file:///a%zz%", Some("/a%zz%")),
            ("File://x", Some("x")),
            ("a/b%20c", None),
        ] {
            assert_eq!(path_of_url(text).as_deref(), expected, "{text}");
        }
    }
}
