//! Made-up secrets of every kind, in every place that takes one, quoted in every way: what is found in one is found in all.

use proptest::prelude::*;

use crate::audit::mask::names::{self, ENDINGS, PARTS, QUALIFIERS};
use crate::audit::mask::{Secrets, Written, mask, mask_reason, tokens};

/// Characters of which secrets are drawn.
const ALPHABETS: [&str; 5] = [
    "0123456789abcdef",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
];

/// Where a name and its value stand together; `{N}` is the name, `{V}` the value as a shell reads it, `{R}` as it stands in other quotes.
const NAMED: [&str; 24] = [
    "export {N}=${{N}:-{R}}",
    ": \"${{N}:={R}}\"",
    "{N}={V} run",
    "export {N}={V} && run",
    "env {N}={V} run",
    "docker run -e {N}={V} image",
    "tool --{N} {V} x",
    "tool --{N}={V} x",
    "tool --set app.{N}={V}",
    "curl -d '{\"{N}\": \"{R}\"}' x",
    "curl -d 'a=1&{N}={R}&b=2' x",
    "curl 'https://example.com/a?{N}={R}'",
    "cat > f <<'E'\n{N}={R}\nE",
    "cat > f <<'E'\n{N}: {R}\nE",
    "cat > f <<'E'\n{N} = \"{R}\"\nE",
    "cat > f <<'E'\n{\"{N}\": \"{R}\"}\nE",
    "cat > f <<'E'\n<{N}>{R}</{N}>\nE",
    "cat > f <<'E'\nuser,{N},x\nbob,{R},1\nE",
    "cat > f <<'E'\n| user | {N} |\n|---|---|\n| bob | {R} |\nE",
    "printf '{N}={R}\\n' > f",
    "echo \"{N}: {R}\" >> f",
    "python3 -c 'connect({N}=\"{R}\")'",
    "python3 -c 'os.environ[\"{N}\"] = \"{R}\"'",
    "{\"user\": \"bob\", \"{N}\": \"{R}\"}",
];

/// Where a value may have blanks and signs, as quotes hold it together or its line does.
const HELD: [&str; 20] = [
    "{N}='{R}' run",
    "export \"{N}={R}\"",
    "export {N}=\"${{N}:-{R}}\"",
    "env \"{N}={R}\" run",
    "docker run -e \"{N}={R}\" image bash",
    "docker build --build-arg '{N}={R}' .",
    "tool --{N} \"{R}\"",
    "tool --{N}='{R}'",
    "tool \"--{N}={R}\" x",
    "tool --set \"app.{N}={R},b=1\"",
    "tool -D{N}=\"{R}\" x",
    "curl -F 'user=bob' -F '{N}={R}' https://example.com",
    "curl --data-urlencode \"{N}={R}\" https://example.com",
    "curl -d 'a=1&{N}={R}&b=2' https://example.com",
    "mount -o 'user=bob,{N}={R}' a b",
    "echo '{N}={R}' >> .env",
    "cat > .env <<'E'\nA=b\n{N}={R}\nE",
    "cat > x.service <<'E'\nEnvironment=\"{N}={R}\"\nE",
    "cat > c.yml <<'E'\na:\n  {N}: {R}\nE",
    "cat > c.json <<'E'\n{\"{N}\": \"{R}\"}\nE",
];

/// Places that tell by themselves that a secret stands in them.
const PLACES: [&str; 26] = [
    "P={V}; mysql -uroot -p$P x",
    "P={V}; echo \"$P\" | docker login -u bob --password-stdin",
    "for p in {V} x; do sshpass -p $p ssh h; done",
    "set -- bob {V}; curl -u \"$1:$2\" https://example.com",
    "curl -u \"bob:$(printf {V})\" https://example.com",
    "(echo {V}; echo {V}) | passwd bob",
    "{ printf '{R}\\n'; echo y; } | sudo -S true",
    "prosodyctl register bob example.com {V}",
    "node -e \"page.fill('#password', '{R}')\"",
    "cat > s.yml <<'E'\nkind: Secret\nstringData:\n  a: {R}\nE",
    "curl -u bob:{V} https://example.com",
    "curl -H 'Authorization: Bearer {R}' x",
    "curl -H \"X-Api-Key: {R}\" x",
    "git clone https://bob:{R}@example.com/a",
    "mysql -u bob -p{V} db",
    "sshpass -p {V} ssh h",
    "redis-cli -a {V} ping",
    "openssl rsa -passin pass:{V} -in k",
    "echo {V} | docker login -u bob --password-stdin",
    "sudo -S ls <<< {V}",
    "echo 'bob:{R}' | chpasswd",
    "psql -c \"CREATE USER bob PASSWORD '{R}'\"",
    "vault kv put secret/a b={V}",
    "kubectl create secret generic a --from-literal=b={V}",
    "frob -u bob -p {V} h",
    "echo 'the password is {R} now'",
];

/// Places that tell nothing: only what is drawn is known there.
const ANYWHERE: [&str; 12] = [
    "echo {V}",
    "tool {V} --prod",
    "tool -k{V}",
    "tool --x={V}",
    "tool a={V},b=1",
    "curl https://example.com/hook/{R}",
    "curl https://example.com/a/{R}/b",
    "cat > f <<'E'\n{R}\nE",
    "echo '{\"a\": \"{R}\"}'",
    "python3 -c 'f(\"{R}\")'",
    "# {R}",
    "tool <<< {V}",
];

/// Ways to write a word for a shell, of which there are so many.
const WAYS: usize = 7;

fn quoted(value: &str, way: usize) -> String {
    let (one, two) = value.split_at(value.len() / 2);
    match way % WAYS {
        0 => value.to_owned(),
        1 => format!("'{value}'"),
        2 => format!("\"{value}\""),
        3 => format!("$'{value}'"),
        4 => format!("${{X:-{value}}}"),
        5 => format!("\"${{X:-{value}}}\""),
        _ => format!("{one}''{two}"),
    }
}

/// Ways to write a name.
fn spelt(name: &str, way: usize) -> String {
    let camel = |name: &str| {
        if !name.is_ascii() {
            return name.to_owned();
        }
        let mut parts = name.split('_');
        let first = parts.next().unwrap_or(name).to_owned();
        parts.fold(first, |name, part| {
            let (head, tail) = part.split_at(part.len().min(1));
            name + &head.to_uppercase() + tail
        })
    };
    match way % 4 {
        0 => name.to_owned(),
        1 => name.to_uppercase(),
        2 => name.replace('_', "-"),
        _ => camel(name),
    }
}

fn word(alphabet: usize, length: usize, seed: u64) -> String {
    let letters = ALPHABETS[alphabet].as_bytes();
    let mut state = seed | 1;
    let mut next = || {
        // Knuth's linear congruences are random enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % letters.len()
    };
    (0..length).map(|_| char::from(letters[next()])).collect()
}

/// Passwords as people make them.
fn password(seed: u64) -> String {
    let words = ["amber", "flute", "maple", "oboe", "river", "stone", "copper", "meadow"];
    let [one, two] =
        [seed >> 3, seed >> 9].map(|seed| words[usize::try_from(seed % 8).unwrap_or(0)]);
    let number = 10 + seed % 90;
    match seed % 5 {
        0 => format!("{one}{number}"),
        1 => format!("{}{number}!", one.to_uppercase()),
        2 => format!("{one}{number}{two}"),
        3 => format!("{}#{number}{two}", one.replace('e', "3")),
        _ => format!("{one}{two}{number}"),
    }
}

fn check(place: &str, name: &str, value: &str, way: usize) -> Result<(), TestCaseError> {
    let text = place.replace("{N}", name).replace("{V}", &quoted(value, way)).replace("{R}", value);
    let masked = mask(&text).replace(['\'', '"'], "");
    prop_assert!(!masked.contains(value), "{text}\nbecame {masked}");
    shows_nothing(&text, value)
}

/// What is said about the words of a line shows nothing that is masked in it: as a shell hands them over, and as names of hosts.
fn shows_nothing(line: &str, value: &str) -> Result<(), TestCaseError> {
    let (_, secrets) = Secrets::mask(line, Written::Shell);
    // A here-document is no words of the line.
    let line = line.split("<<").next().unwrap_or(line);
    for word in shell_words::split(line).unwrap_or_default() {
        for word in [word.to_lowercase(), word] {
            let reason = mask_reason(&format!("what '{word}' means to 'x' is new"), &secrets);
            let shown = reason.to_lowercase().contains(&value.to_lowercase());
            prop_assert!(!shown, "{line}\nis said to be {reason}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn a_secret_is_masked_in_every_place_that_names_it(
        place in 0..NAMED.len(), ending in 0..ENDINGS.len(), before in 0..3_usize, spelling in 0..4_usize,
        way in 0..WAYS, alphabet in 0..=ALPHABETS.len(), length in 16..48_usize, seed: u64,
    ) {
        let name = format!("{}{}", ["", "app_", "my_db_"][before], ENDINGS[ending]);
        // `my-token=…` is no assignment, but a command.
        let spelling = if place < 5 && spelling == 2 { 3 } else { spelling };
        let name = spelt(&name, spelling);
        // Nor is one with letters that are not English.
        prop_assume!(names::is_secret(&name) && (place >= 5 || name.is_ascii()));
        let value =
            if alphabet == ALPHABETS.len() { password(seed) } else { word(alphabet, length, seed) };
        prop_assume!(!value.starts_with(['-', '_']) && !value.ends_with(['-', '_']));
        check(NAMED[place], &name, &value, way)?;
    }

    #[test]
    fn a_value_is_masked_to_its_end(
        place in 0..HELD.len(), spelling in 0..3_usize, sign in 0..4_usize, seed: u64,
    ) {
        let name = spelt("db_password", [0, 1, 3][spelling]);
        let words = [password(seed), password(seed >> 7), password(seed >> 11)];
        let value = words.join([" ", "&", ";", " & "][sign]);
        let line = HELD[place].replace("{N}", &name).replace("{R}", &value);
        let masked = mask(&line);
        for word in words {
            prop_assert!(!masked.contains(&word), "{line}\nbecame {masked}");
            shows_nothing(&line, &word)?;
        }
    }

    #[test]
    fn a_name_stays_that_of_a_secret_with_a_word_behind_it(
        part in 0..PARTS.len(), qualifier in 0..QUALIFIERS.len(), spelling in 0..3_usize, seed: u64,
    ) {
        let name = spelt(&format!("{}_{}", PARTS[part], QUALIFIERS[qualifier]), [0, 1, 3][spelling]);
        check("export {N}={V}", &name, &password(seed), 0)?;
    }

    #[test]
    fn a_secret_is_masked_in_every_place_that_takes_one(
        place in 0..PLACES.len(), way in 0..WAYS, alphabet in 0..=ALPHABETS.len(), length in 16..48_usize,
        seed: u64,
    ) {
        let value =
            if alphabet == ALPHABETS.len() { password(seed) } else { word(alphabet, length, seed) };
        prop_assume!(!value.starts_with(['-', '_']) && !value.ends_with(['-', '_']));
        check(PLACES[place], "", &value, way)?;
    }

    #[test]
    fn a_token_is_masked_wherever_it_stands(
        place in 0..ANYWHERE.len(), way in 0..4_usize, form in 0..tokens::samples().len(),
    ) {
        let (prefix, body) = &tokens::samples()[form];
        prop_assume!(!body.contains(['|', '?', '&']));
        let text = ANYWHERE[place].replace("{V}", &quoted(&format!("{prefix}{body}"), way));
        let text = text.replace("{R}", &format!("{prefix}{body}"));
        prop_assert!(!mask(&text).contains(body.as_str()), "{text}");
    }
}

/// A drawn word may look written, so that it is only counted how many do.
#[test]
fn nearly_every_drawn_word_is_masked_wherever_it_stands() {
    let (mut all, mut kept) = (0, Vec::new());
    for seed in 0..4_000_u64 {
        let of = |count: usize, shift: u32| usize::try_from(seed >> shift).unwrap_or(0) % count;
        let value =
            word(of(ALPHABETS.len(), 0), 20 + of(40, 2), seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text = ANYWHERE[of(ANYWHERE.len(), 1)].replace("{V}", &value).replace("{R}", &value);
        all += 1;
        // So many digits are the name of a commit where they are only shown.
        let is_commit = value.len() == 40 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_commit && mask(&text).contains(&value) {
            kept.push(value);
        }
    }
    assert!(kept.len() * 200 <= all, "{} of {all}: {kept:?}", kept.len());
}

#[test]
fn what_people_say_is_read_as_prose() {
    for (said, expected) in [
        ("The DB password (amber4flute) must change.", "The DB password ([masked]) must change."),
        ("bob's password is now amber4flute", "bob's password is now [masked]"),
        ("don't use token Amber4flute9 here; it's old", "don't use token [masked] here; it's old"),
        ("log in as bob / oboe-Flute_30", "log in as bob / [masked]"),
        ("the credentials bob:HjzNqfXplS work", "the credentials bob:[masked] work"),
        ("my pin is 385198", "my pin is [masked]"),
        (
            "the exit code is 1024, the token is 4096 bytes",
            "the exit code is 1024, the token is 4096 bytes",
        ),
        ("rename the token field to token_count2", "rename the token field to token_count2"),
    ] {
        assert_eq!(Secrets::mask(said, Written::Prose).0, expected);
    }
}
