//! The trip wire: what ran past the guard is said soon, however much of it there is.

use super::{Sessions, UNTIL_RECORDED};
use crate::support::guard;

/// Starts a program by a way that the guard does not judge, waits until the record has it, and says how many milliseconds the quickest of ten
/// took: what else the machine does may keep any of them.
const QUICKEST: &str = r#"
use Time::HiRes "time";
my $quickest = 1e9;
for my $each (1 .. 10) {
    my $begun = time;
    my $process = fork // die;
    my @words = $way->($each);
    exec @words unless $process;
    until (grep { /each-$each\b/ } do { local @ARGV = glob "$ENV{HOME}/.local/state/guarded-sh/records/*.jsonl"; @ARGV ? <> : () }) {
        select undef, undef, undef, 0.01;
    }
    my $took = 1000 * (time - $begun);
    $quickest = $took if $took < $quickest;
    open my $end, ">", "each-$each";
    waitpid $process, 0;
}
print int $quickest;"#;

#[test]
fn what_ran_unguarded_is_recorded_and_said_within_a_second() {
    let shell =
        r#"sub { "/bin/bash", "-c", "until [ -e each-$_[0] ]; do read -t 0.05 <> <(:); done" }"#;
    for (run, way) in
        [("run --", r#"sub { "/bin/rm", "-f", "each-$_[0]" }"#), ("run --unwatched --", shell)]
    {
        let sessions = Sessions::new();
        sessions.place.write("work/agent", format!("my $way = {way};{QUICKEST}"));
        let script = format!("$RUN {run} perl agent");
        let ended = sessions.script(&script, &guard().display().to_string()).run_in_own_home();
        let took: u32 = ended.out().parse().unwrap_or_else(|_| panic!("{run}: {}", ended.err()));
        assert!(took < 1000, "{run}: {took} ms: {}", ended.err());
        assert!(ended.err().contains("unguarded, 10 times, first: "), "{run}: {}", ended.err());
    }
}

/// Five hundred shells at once that nobody watches, which are there until the record has some: each is told of, or counted.
#[test]
fn of_five_hundred_shells_at_once_none_goes_unsaid() {
    let many = format!(
        r#"{UNTIL_RECORDED}
        pipe my $gate, my $open;
        for my $each (1 .. 500) {{ next if fork; close $open; open STDIN, "<&", $gate; exec "/bin/bash", "-c", "read x; : $each" }}
        system "/bin/bash", "-c", "$wait";
        my $count = 0;
        for (1 .. 600) {{
            local @ARGV = glob "$ENV{{HOME}}/.local/state/guarded-sh/records/*.jsonl";
            last if 100 <= grep {{ /read x/ }} <>;
            select undef, undef, undef, 0.1;
        }}
        close $open; 1 while wait > 0;"#
    );
    let sessions = Sessions::new();
    sessions.place.write("work/agent", many);
    let script = "$RUN run --unwatched -- perl agent";
    let ended = sessions.script(script, &guard().display().to_string()).run_in_own_home();
    let err = ended.err();
    assert!(err.contains("perl ran /bin/bash unguarded, 100 times, first: "), "{err}");
}
