mod composed;

use proptest::prelude::*;

use super::{MASK, Secrets, Written, mask, mask_reason, tokens};

/// Rows of text in which each secret stands between `«` and `»`; the text without them goes in, and must come out masked
/// there and nowhere else.
fn check(rows: &[&str]) {
    for row in rows {
        let given: String =
            row.chars().filter(|character| !matches!(character, '«' | '»')).collect();
        let mut expected = String::new();
        for (index, part) in row.split(['«', '»']).enumerate() {
            expected.push_str(if index % 2 == 1 { MASK } else { part });
        }
        assert_eq!(mask(&given), expected, "{given}");
    }
}

#[test]
fn tokens_are_known_by_their_form() {
    check(&[
        "git clone https://ghp_«0123456789abcdefABCDEF0123456789abcd»@github.com/a/b",
        "echo github_pat_«11ABCDEFG0abcdefghijkl_0123456789abcdefghijklmnop»",
        "x=glpat-«a1b2c3d4e5f6g7h8i9j0» y",
        "curl -d 'key=sk-ant-«api03-abcdefghijk0123456789-_xyz»' x",
        "echo \"sk-«abcdefghijklmnop0123456789»\"",
        "slack xoxb-«123456789012-abcdefghijkl» post",
        "aws AKIA«ABCDEFGHIJ012345» x",
        "k AIza«SyA0123456789abcdefghijklmnopqrstuv»",
        "//registry/:x npm_«abcdefghijklmnopqrstuvwxyz0123456789»",
        "echo «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl» | jq",
        "printf '-----BEGIN OPENSSH PRIVATE KEY-----«\\nb3BlbnNzaA\\nAAAA\\n»-----END OPENSSH PRIVATE KEY-----' >k",
        "echo '-----BEGIN RSA PRIVATE KEY-----«abc»'",
    ]);
}

#[test]
fn secrets_are_known_by_their_names() {
    check(&[
        "export API_KEY=«abc123» && run",
        "GITHUB_TOKEN=«xy» y",
        "DB_PASSWORD='«pass word»' ./run",
        "PGPASSWORD=\"«s\\\"q»\" psql -h db",
        "docker run -e MYSQL_ROOT_PASSWORD=«hunter2» -d mysql",
        "docker build --build-arg NPM_TOKEN=«abc» .",
        "curl 'https://x.org/v1?token=«abc»&page=2'",
        "curl https://x.org/v1?page=2&access_token=«abc»",
        "curl -d client_secret=«abc» https://x.org",
        "curl -d '{\"password\": \"«hunter2»\", \"user\": \"me\"}' x",
        "curl -d \"{\\\"password\\\": \\\"«hunter2»\\\"}\" x",
        "cat >f <<E\nuser: me\npassword: «hunter2»\nE",
        "npm config set //registry.npmjs.org/:_authToken=«abc»",
        "AWS_SECRET_ACCESS_KEY=«abc/def» aws s3 ls",
        "TOKEN=$'«a b»' x",
        "secretKeyBase=«abc»",
        "TOKEN2=«abc»; SECRET_KEY_BASE=«x»",
    ]);
}

#[test]
fn secrets_are_known_by_their_options() {
    check(&[
        "tool --token «abc» --verbose",
        "tool --token=«abc» --verbose",
        "tool --password '«a b»' x",
        "tool --api-key \"«abc»\"; ls",
        "eval 'tool --client-secret «abc»' < /dev/null",
        "terraform -password «abc»",
        "mysql -u root -p«hunter2» db",
        "mysql -u root -p'«hunter2»' db",
        "cd x && /usr/bin/mysqldump -p«hunter2» db | gzip",
        "sshpass -p «hunter2» ssh host",
        "sshpass -p«hunter2» ssh host",
        "curl -u me:«hunter2» https://x.org",
        "curl --user 'me:«hunter two»' https://x.org",
        "curl --user=me:«hunter2» https://x.org",
        "redis-cli -a «hunter2» ping",
        "docker login -u me -p «hunter2» registry",
        "smbclient -U me%«hunter2» //host/share",
        "7z a -p«hunter2» x.7z .",
    ]);
}

#[test]
fn secrets_are_known_by_their_headers_and_places() {
    check(&[
        "curl -H 'Authorization: Bearer «abc.def»' https://x.org",
        "curl -H \"authorization: «abc»\" https://x.org",
        "curl -H 'X-Api-Key: «abc»' -H 'Accept: text/html'",
        "curl --header='Cookie: «a=b; c=d»' x",
        "git clone https://me:«hunter2»@x.org/a.git",
        "psql postgres://me:«p@ss»@db:5432/x?sslmode=off",
        "redis-cli -u redis://:«hunter2»@h:6379",
    ]);
}

#[test]
fn what_is_no_secret_is_left_alone() {
    check(&[
        "ls -la",
        "git commit -m 'fix token: handle expiry of the password'",
        "TOKEN=$OTHER curl -H \"Authorization: Bearer $TOKEN\" x",
        "tool --token \"$(pass show x)\" --password \"${PW}\"",
        "tool --password-stdin < file",
        "tool --token --verbose",
        "PWD=/tmp OLDPWD=/ ls",
        "max_tokens=100 tokenizer=bert ./run",
        "TOKEN_FILE=/run/secrets/x ./run --password-file x",
        "mysql -p db; mysql -P 3306",
        "mkdir -p a/b; cp -p a b; psql -p 5432",
        "docker run -p 80:80 x; gh auth login -p ssh",
        "curl -u me https://x.org",
        "echo task-abcdefghijklmnopqrstuvwxyz0 disk-0123456789abcdefghijklm",
        "git checkout sk-this-is-a-branch-name-with-words",
        "git clone https://github.com/a/b git@github.com:a/b",
        "ssh -i key host 'cat ~/.ssh/id_rsa'",
        "-----BEGIN PUBLIC KEY-----abc-----END PUBLIC KEY-----",
        "curl -H 'Accept: application/json' 'https://x.org/?q=a:b'",
        "password=true auth=none token=",
        "echo eyJhbGci and eyJ",
    ]);
}

/// The sheet of made-up secrets and of lines that hold none.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    masked: Vec<String>,
    whole: Vec<String>,
}

#[test]
fn secrets_of_every_kind_are_masked_and_ordinary_lines_stay_whole() {
    let sheet: Sheet = toml::from_str(include_str!("../../../tests/secrets.toml")).unwrap();
    assert!(sheet.masked.len() >= 300 && sheet.whole.len() >= 60);
    for row in &sheet.masked {
        assert!(row.contains('«'), "{row}");
        check(&[row]);
    }
    for row in &sheet.whole {
        assert_eq!(mask(row), *row);
    }
}

#[test]
fn what_is_masked_in_a_line_is_masked_in_what_quotes_it() {
    for (line, reason, expected) in [
        (
            "mysql -phunter2 x",
            "value in '-phunter2' of 'mysql' is new",
            "value in '-p[masked]' of 'mysql' is new",
        ),
        (
            "sqlplus \"a/\\\"oboe4flute\\\"@x\"",
            "operand 'a/\"oboe4flute\"@x' of x",
            "operand 'a/\"[masked]\"@x' of x",
        ),
        ("tool --password 'two words 4'", "what 'two words 4' means", "what '[masked]' means"),
        // As the shell hands it over, and as a name of a host.
        (
            "cmake -DDB_PASSWORD=\"amber flute4 oboe\" .",
            "value in '-DDB_PASSWORD=amber flute4 oboe' of 'cmake' is new",
            "value in '-DDB_PASSWORD=[masked]' of 'cmake' is new",
        ),
        (
            "mysql --password=\"a\\$bcd \\`efgh oboe\" x",
            "what '--password=a$bcd `efgh oboe' means",
            "what '--password=[masked]' means",
        ),
        (
            "lftp -u bob,Oboe-flute36 -e ls h",
            "runs a command on 'bob,oboe-flute36'",
            "runs a command on 'bob,[masked]'",
        ),
        (
            "ping kJ8mQ2xR7vT4bN9wZ3pL5s.example.com",
            "asks 'kj8mq2xr7vt4bn9wz3pl5s.example.com'",
            "asks '[masked].example.com'",
        ),
        // Words of the reason itself stay.
        ("tool --password pass", "a password is passed", "a password is passed"),
        (
            "ls",
            "sends token: to a host, and 'PASSWORD=abc4def'",
            "sends token: to a host, and 'PASSWORD=[masked]'",
        ),
    ] {
        let (_, secrets) = Secrets::mask(line, Written::Shell);
        assert_eq!(mask_reason(reason, &secrets), expected, "{line}");
    }
}

#[test]
fn every_form_of_a_token_is_masked_wherever_it_stands() {
    let samples = tokens::samples();
    assert!(samples.len() > 300, "{}", samples.len());
    for (prefix, body) in samples {
        let token = format!("{prefix}{body}");
        for (before, behind) in [
            ("echo ", ""),
            ("X=", " run"),
            ("curl -H 'X: ", "' https://example.com"),
            ("curl 'https://example.com/?a=", "'"),
            ("echo '{\"a\": \"", "\"}'"),
            ("tool --value=", ""),
            ("cat >f <<E\n", "\nE"),
            ("printf 'a\\n", "'"),
        ] {
            let text = format!("{before}{token}{behind}");
            let masked = mask(&text);
            assert!(!masked.contains(&body), "{text} became {masked}");
        }
        // Quotes in the middle of it do not hide it.
        let (one, two) = body.split_at(body.len() / 2);
        let is_inside = one.ends_with(|c: char| c.is_ascii_alphanumeric())
            && two.starts_with(|c: char| c.is_ascii_alphanumeric())
            // Without quotes it is a pipe.
            && !body.contains('|');
        if is_inside {
            let masked = mask(&format!("echo {prefix}{one}''{two}")).into_owned();
            assert!(!masked.contains(two), "{masked}");
        }
    }
}

#[test]
fn text_of_any_shape_is_read_in_time_and_whole() {
    for piece in [
        "eyJ-",
        "sk-or-",
        "a:",
        "=",
        "token=",
        "\"token\":",
        "://",
        "://a:b@",
        "'",
        "--token ",
        "-----BEGIN ",
        "mysql -p",
        "é«»",
        "\\",
        "Authorization:",
        "$'",
        "curl -u a:",
        "sk-or-a",
        "htpasswd -b a b ",
        "echo x|chpasswd ",
        "chpasswd <<E\n",
        "password ",
        "config set token ",
        "key is ",
        "auth=(\"",
        "a''",
        "a\"b",
        "0123456789:",
        "hooks.slack.com/services/a",
        "PASSWORD(",
        "密码",
        "\\n",
        "password is ",
        "-p a ",
        "a,token\n",
        "{\"a\":",
        "s|token|",
        "https://a/token/b4c5d6e/",
        "https://a/hooks/",
        "${a:-",
        "'s/a/b/",
        "TOKEN=$a ",
        "\"A_TOKEN=a b",
        "page.fill('token',",
        "kind: Secret\ndata:\n a: ",
        "(echo x;",
        "%70",
        "\\u0070",
        "a'b'",
        "a\\b",
        "\"--token\",",
        "- --token\n",
        "printf '%s' ",
        "printf '%s%s%s' a ",
        "[1,2,",
        "#!/a\necho b\n",
        "Private-Lines: 1\n",
        "a1B2c3D4e5F6g7H8/+",
        "<password><value>",
    ] {
        let text = piece.repeat(50_000 / piece.len());
        let start = std::time::Instant::now();
        let masked = mask(&text);
        let took = start.elapsed();
        // By the square of its length it would take minutes.
        assert!(took.as_secs() < 60, "{piece:?} took {took:?}");
        assert!(masked.len() <= text.len() * 10);
    }
}

/// Pieces that begin, end or look like secrets, and characters of every width.
const PIECES: [&str; 54] = [
    "é",
    "密码",
    "漢",
    "🙂",
    " ",
    "\t",
    "\n",
    "'",
    "\"",
    "\\",
    "$",
    "$'",
    "`",
    "=",
    ":",
    "://",
    "@",
    "/",
    "?",
    "&",
    ";",
    "|",
    "(",
    ")",
    "token",
    "password",
    "--token",
    "--user",
    "-p",
    "-u",
    "curl",
    "mysql",
    "docker",
    "login",
    "eyJ",
    "sk-",
    "ghp_",
    "0123456789abcdefghijklmnopqrstuv",
    "-----BEGIN PRIVATE KEY-----",
    "-----END",
    "Authorization",
    " is ",
    "key",
    "auth=(\"",
    "%3D",
    "\\n",
    "<<<",
    "chpasswd",
    "htpasswd -b ",
    "Q~",
    "[x]",
    ",",
    "openssl pass:",
    "login bob/Amber4Flute9 ",
];

/// What stands before commands, between them and behind them; what stands for `@` names secrets.
const AROUND: [&str; 12] = [
    "echo \"@\"; ",
    "echo '@'; ",
    "grep -n \"@\" a && ",
    "printf '@' | ",
    "cat <<'E' > f\n@\nE\n",
    "cat <<E\n@\nE\n",
    "# @\n",
    "X=\"@\"; ",
    "true @ ; ",
    "X='@' ",
    "read -p \"@\" X\n",
    "curl -H \"@\" -d '@' x & ",
];

/// Texts that name secrets, or seem to begin one, and close what they open.
const NAMING: [&str; 20] = [
    "secret=",
    "password: ",
    "token = ",
    "--password ",
    "mysql -p",
    "api_key=$(",
    "-----BEGIN PRIVATE KEY-----",
    "Authorization: Bearer ",
    "https://me:",
    "password is ",
    "login(",
    "curl -u me:",
    "name: DB_PASSWORD value:",
    "tokens: [",
    "<password>",
    "echo x | passwd",
    "PASSWORD",
    "abc4def",
    " ",
    "mysql://a:b@",
];

/// Harmless commands.
const COMMANDS: [&str; 6] =
    ["uptime", "whoami -x", "hostname", "lsblk a", "/bin/pwd", "sudo nproc"];

proptest! {
    #[test]
    fn no_command_is_hidden_by_what_is_masked(
        parts in proptest::collection::vec(
            (0..AROUND.len(), proptest::collection::vec(0..NAMING.len(), 1..4), 0..COMMANDS.len()),
            1..5,
        ),
    ) {
        let mut line = String::new();
        let mut names = Vec::new();
        for (around, naming, command) in parts {
            let mut text: String = naming.into_iter().map(|index| NAMING[index]).collect();
            // Only where nothing is expanded does a substitution stay open.
            let is_literal = ["'@'", "<<'E'", "# @"].iter().any(|one| AROUND[around].contains(one));
            if !is_literal || AROUND[around].contains("\"@\"") {
                text = text.replace("$(", "");
            }
            if AROUND[around].starts_with("true") {
                text = text.replace(['(', '<', '>', '|'], "");
            }
            line.push_str(&AROUND[around].replace('@', &text));
            line.push_str(COMMANDS[command]);
            line.push('\n');
            names.push(COMMANDS[command]);
        }
        let masked = mask(&line);
        let mut rest = masked.as_ref();
        for name in names {
            let name = name.split(' ').take(1 + usize::from(name.starts_with("sudo"))).last().unwrap_or(name);
            let place = rest.find(name);
            prop_assert!(place.is_some(), "{line:?} became {masked:?}");
            rest = &rest[place.unwrap_or(0) + name.len()..];
        }
    }

    #[test]
    fn any_text_is_masked_without_a_panic_and_only_loses_what_is_masked(
        indices in proptest::collection::vec(0..PIECES.len(), 0..24),
    ) {
        let text: String = indices.into_iter().map(|index| PIECES[index]).collect();
        let masked = mask(&text);
        let mut rest = text.as_str();
        for part in masked.split(MASK) {
            let place = rest.find(part);
            prop_assert!(place.is_some(), "{text:?} became {masked:?}");
            rest = &rest[place.unwrap_or(0) + part.len()..];
        }
    }
}
