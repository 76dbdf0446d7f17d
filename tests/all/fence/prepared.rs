//! Domains that a host makes ahead: a line takes the one that is ready for it, from nobody else than it may, and for itself alone.

use super::{ON, Scene, skipped};
use crate::support::Place;

/// The program that plays a host, or one who asks it.
const PREPARER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fence/preparer.py");

/// The user's runtime directory, in which somebody gives whoever asks a ruleset that grants everything.
fn given_at(socket: &str, more: &str) -> String {
    format!(
        "mount -t tmpfs tmpfs /run && mkdir -p -m 700 /run/user/0/guarded-sh\n\
         python3 {PREPARER} give {socket} /tmp/ready &\n\
         until [[ -e /tmp/ready ]]; do sleep 0.02; done\n{more}"
    )
}

const LINE: &str = "echo evil >~/planted";
const EFFECT: &str = "test -e ~/planted";
const OWN: &str = "/run/user/0/guarded-sh/serve.domains";

#[test]
fn a_line_takes_the_domain_that_is_ready_for_it_from_where_no_line_may_write() {
    if skipped() {
        return;
    }
    let has_effect = |socket: &str, more: &str, call: &str| {
        let before = given_at(socket, more);
        let scene = Scene { call, ..Scene::of(&before, LINE, EFFECT) };
        scene.run(&Place::new(), ON).out().contains("EFFECT")
    };
    let plain = r#""$guard" -c "$line""#;
    assert!(
        has_effect(OWN, "", plain),
        "the domain that was ready is not what the line is held by"
    );
    let elsewhere = "/srv/other/7.domains";
    for (socket, more, call) in [
        (OWN, "chmod 755 /run/user/0/guarded-sh", plain),
        (
            OWN,
            "mv /run/user/0/guarded-sh /srv/there; ln -s /srv/there /run/user/0/guarded-sh",
            plain,
        ),
        (elsewhere, "", r#"GUARDED_SH_SOCKET=/srv/other/7.ask "$guard" -c "$line""#),
        (elsewhere, "", r#"GUARDED_SH_SOCKET=../../../../srv/other/7.ask "$guard" -c "$line""#),
        (
            "/srv/other/guarded-sh/serve.domains",
            "",
            r#"XDG_RUNTIME_DIR=/srv/other "$guard" -c "$line""#,
        ),
        ("/tmp/guarded-sh-0/serve.domains", "rm -r /run/user", plain),
    ] {
        assert!(!has_effect(socket, more, call), "{socket} {more} {call}");
    }
}

#[test]
fn what_one_process_adds_to_its_domain_is_in_no_other() {
    if skipped() {
        return;
    }
    let before = "mount -t tmpfs tmpfs /run && mkdir -p -m 700 /run/user/0";
    // What a line says when it asks is heard in the place of the user's own host, and said to the session's.
    let agent = format!(
        r#"cd /srv/work
python3 {PREPARER} hear {OWN} /tmp/ready >/tmp/said &
until [[ -e /tmp/ready ]]; do sleep 0.02; done
env -u GUARDED_SH_SOCKET "$guard" -c "$line"
wait
python3 {PREPARER} ask "${{GUARDED_SH_SOCKET%.ask}}.domains" </tmp/said
for turn in 1 2 3 4; do "$guard" -c "$line"; sleep 0.1; done"#
    );
    let call = format!("export guard line\n\"$guard\" run -- bash -c '{agent}'");
    let scene = Scene { call: &call, ..Scene::of(before, LINE, EFFECT) };
    let ended = scene.run(&Place::new(), ON);
    assert!(ended.out().contains("added\n"), "{}{}", ended.out(), ended.err());
    assert!(!ended.out().contains("EFFECT"), "{}", ended.err());
}
