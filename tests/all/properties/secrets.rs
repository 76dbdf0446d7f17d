//! Ways on which a secret gets from a variable to a word, and what prints that word.

/// `PRINT` stands for what prints, `VALUE` for the word that holds the secret by then.
const WAYS: &[(&str, &str)] = &[
    ("PRINT", "$GITHUB_TOKEN"),
    ("PRINT", "${GITHUB_TOKEN:-x}"),
    ("x=$GITHUB_TOKEN; PRINT", "$x"),
    ("x=a$GITHUB_TOKEN; y=(b \"$x\"); PRINT", "${y[1]}"),
    ("v=GITHUB_TOKEN; PRINT", "${!v}"),
    ("declare -n r=GITHUB_TOKEN; PRINT", "$r"),
    ("declare x=$GITHUB_TOKEN; PRINT", "$x"),
    ("printf -v x %s \"$GITHUB_TOKEN\"; PRINT", "$x"),
    ("read -r x <<< $GITHUB_TOKEN; PRINT", "$x"),
    ("mapfile -t x <<< $GITHUB_TOKEN; PRINT", "${x[0]}"),
    ("while read -r x; do PRINT; done <<< $GITHUB_TOKEN", "$x"),
    ("for x in a $GITHUB_TOKEN; do PRINT; done", "$x"),
    ("set -- $GITHUB_TOKEN; PRINT", "$1"),
    ("f() { PRINT; }; f a \"$GITHUB_TOKEN\"", "$2"),
    ("f() { shift; PRINT; }; f a \"$GITHUB_TOKEN\"", "$1"),
    ("f() { g \"$@\"; }; g() { PRINT; }; f \"$GITHUB_TOKEN\"", "$1"),
    ("[[ $GITHUB_TOKEN =~ .* ]]; PRINT", "${BASH_REMATCH[0]}"),
    (": ${x:=$GITHUB_TOKEN}; PRINT", "$x"),
    (": $GITHUB_TOKEN; PRINT", "$_"),
    ("bash -c 'PRINT' x \"$GITHUB_TOKEN\"", "$1"),
    ("X=$GITHUB_TOKEN bash -c 'PRINT'", "$X"),
    ("env X=\"$GITHUB_TOKEN\" sh -c 'PRINT'", "$X"),
    ("if a; then x=$GITHUB_TOKEN; fi; PRINT", "$x"),
];

/// Commands that print a word, whatever it is, or say that there is none of that name.
const PRINTERS: &[&str] = &[
    "echo VALUE",
    "printf %s \"VALUE\"",
    "cat <<< \"VALUE\"",
    "env echo VALUE",
    "timeout 5 nice basename VALUE",
    "ls VALUE",
    "cd \"VALUE\"",
    "git log \"VALUE\"",
    "touch \"x-VALUE\"",
    "xargs echo <<< \"VALUE\"",
    "awk -v v=\"VALUE\" \"BEGIN { print v }\"",
    ": < \"VALUE\"",
    ": ${nosuch:?VALUE}",
    "eval echo VALUE",
    "{ set -x; : VALUE; }",
];

/// Returns all lines that print a secret in one of these ways.
pub fn lines() -> impl Iterator<Item = String> {
    let lines = WAYS.iter().flat_map(|(way, value)| {
        PRINTERS.iter().map(move |printer| way.replace("PRINT", &printer.replace("VALUE", value)))
    });
    // There it is `-x`.
    lines.filter(|line| !line.contains("set -x; : $_"))
}
