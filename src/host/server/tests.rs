//! What a host says to those who connect.

use super::*;
use crate::ipc::Client;
use crate::model::{Question, Recent, Scope, Score, Severity};

fn question(shown: Severity, covered: Severity) -> Question {
    Question {
        line: "rm a".to_owned(),
        cwd: None,
        agent: None,
        program: None,
        session: None,
        severity: shown,
        score: Score::within(shown, 5),
        reason: String::new(),
        instead: None,
        findings: Vec::new(),
        scope: Scope { severity: covered, ..Scope::default() },
        held: None,
        opinion: None,
        recent: Recent::default(),
        files: None,
        difference: None,
        anew: None,
        client: None,
    }
}

/// A host removes what others left behind, and takes for that what nobody listens at.
#[test]
fn hosts_that_start_at_once_leave_each_others_sockets() {
    let directory = tempfile::tempdir().unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let unheard = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                place::clean(directory.path());
            }
        });
        let is_heard = |number: &i32| {
            let desk = place::desk(directory.path(), &number.to_string());
            let listener = listener(&desk);
            listener.is_ok() && place::is_heard(&desk)
        };
        let unheard = (0..2000).filter(|number| !is_heard(number)).count();
        is_done.store(true, Ordering::Relaxed);
        unheard
    });
    assert_eq!(unheard, 0);
}

/// Says something to a host, and returns what it says to that.
fn said(server: &mut Server, message: &ToHost) -> FromHost {
    let now = Instant::now();
    let late = now + Duration::from_secs(20);
    let mut client = Client::connect(&server.socket(), late).unwrap();
    let none = PollFlags::empty();
    let ready = [none, none, PollFlags::POLLIN | PollFlags::POLLOUT];
    server.turn(&[PollFlags::POLLIN], now);
    assert_eq!(client.receive::<FromHost>(Some(now)).unwrap(), FromHost::Welcome);
    client.send(message, late).unwrap();
    server.turn(&ready, now);
    let said = client.receive(Some(now)).unwrap();
    drop(client);
    server.turn(&ready, now);
    said
}

#[test]
fn a_question_that_shows_less_than_a_yes_would_cover_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let mut server = Server::listen(Kind::Service, place.path(), "serve").unwrap();
    let ask = |shown, covered| ToHost::Ask {
        question: Box::new(question(shown, covered)),
        wait: true,
        seconds: None,
        tries: false,
        door: Door::default(),
    };
    for (shown, covered) in
        [(Severity::Low, Severity::Medium), (Severity::High, Severity::Critical)]
    {
        for message in
            [ask(shown, covered), ToHost::Asked { question: Box::new(question(shown, covered)) }]
        {
            let said = said(&mut server, &message);
            let FromHost::Refused { why } = &said else { panic!("{said:?}") };
            assert!(why.contains("more severe than what would be shown"), "{why}");
        }
    }
    assert_eq!(server.open(Instant::now()).count(), 0);
    let same = said(&mut server, &ask(Severity::High, Severity::High));
    assert!(matches!(same, FromHost::Open { .. }), "{same:?}");
}
