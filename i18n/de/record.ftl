record-reading = Die Aufzeichnung wird gelesen:
record-not-all = Noch wird nicht alles gezeigt.
record-read = Die Aufzeichnung ist ganz gelesen. Laden Sie die Seite neu, um alles zu sehen.
record-part = { $part } %
record-earlier = Früher
record-not-here = Nicht von hier aus
record-only-here = Das ist nur in einem Browser auf der Maschine selbst zu sehen und zu ändern.
record-times =
    { $count ->
        [one] einmal
       *[other] { $count }-mal
    }
record-status = Status { $status }
record-took = dauerte { $time }
record-tenths = { $whole },{ $tenths } s
record-seconds = { $count } s
record-minutes = { $count } min
record-hours = { $count } h

ended-signal = durch ein Signal beendet
ended-unforeseen =
    { $count ->
        [one] 1 nicht vorhergesehenes Programm lief
       *[other] { $count } nicht vorhergesehene Programme liefen
    }
ended-made = angelegt:
ended-changed = geändert:
ended-more = und { $count } mehr

overview-unverified = Die Aufzeichnung besteht die Prüfung nicht: { $why }
overview-hosts =
    { $count ->
        [0] Kein Host ist verbunden.
        [one] Ein Host ist verbunden.
       *[other] { $count } Hosts sind verbunden.
    }
overview-waiting =
    { $count ->
        [0] Keine Frage wartet
        [one] Eine Frage wartet
       *[other] { $count } Fragen warten
    }
overview-far = Wie weit zurück
overview-day = ein Tag
overview-week = eine Woche
overview-weeks = vier Wochen
overview-empty = In dieser Zeit wurde nichts entschieden.
overview-coverage = Abdeckung
overview-uncovered = Aufrufe ohne Entscheidung von uns
overview-uncovered-in =
    { $count ->
        [one] { $count } der { $checked } angesehenen, zuletzt geschriebenen Protokolle enthält welche:
       *[other] { $count } der { $checked } angesehenen, zuletzt geschriebenen Protokolle enthalten welche:
    }
overview-uncovered-of = { $count } von { $checked }
overview-still =
    { $count ->
        [one] Eines der neuesten Protokolle wird noch gelesen.
       *[other] { $count } der neuesten Protokolle werden noch gelesen.
    }
overview-decided = Entschieden
overview-ran = Lief ungefragt oder nach einem Ja
overview-contained = Lief eingezäunt
overview-asked = Gefragt
overview-to-agent = Frage dem Agenten überlassen
overview-refused = Abgelehnt
overview-shadow = Im Schattenmodus
overview-waited = Auf Personen gewartet
overview-judged = Ein Modell gefragt
overview-spent = Heute für Modelle ausgegeben
overview-cost = Anfragen: { $calls }, Tokens: { $tokens }, nach den eigenen Preisen { $money }
overview-share = { $count } ({ $percent } %)
overview-most = Wonach am meisten gefragt wurde
overview-nothing = Nichts.
overview-rule = Regel
overview-rule-times = Anzahl
overview-chart = Was entschieden wurde, in { $columns } Säulen, höchstens { $most } in einer
overview-bar = { $when }: { $ran } liefen, { $refused } abgelehnt; bei { $asked } davon gefragt
overview-bar-ran = lief
overview-bar-refused = abgelehnt
overview-bar-asked = gefragt
overview-scale =
    { $hours ->
        [one] Eine Säule ist eine Stunde, die höchste hat { $most }.
       *[other] Eine Säule sind { $hours } Stunden, die höchste hat { $most }.
    }

history-rule = Regel
history-search = Suchen
history-empty = Nichts in der Aufzeichnung passt.
history-count =
    { $count ->
        [one] Ein Aufruf.
       *[other] { $count } Aufrufe.
    }
history-newest = Die neuesten { $count }; es kann ältere geben.

sessions-empty = Die Aufzeichnung enthält noch keine Sitzung.
sessions-last = Zuletzt
sessions-asked = Gefragt
sessions-refused = Abgelehnt
session-more = Es gibt mehr:
session-load = laden
session-empty = Die Aufzeichnung enthält nichts von dieser Sitzung.
session-no-agent = unbekannter Agent
session-time = Zeit
session-decided = Entschieden
session-counts = { $calls }, gefragt { $asked }, abgelehnt { $refused }
session-export = Exportieren:
session-transcript = Protokoll
session-kept-by = wie { $agent } es führt
session-files = Geschriebene oder geänderte Dateien, wie die Aufrufe sie nennen: { $count }

timeline-person = Person
timeline-model = Modell
timeline-thought = Modell, für sich
timeline-client = Client
timeline-helper = Helfer
timeline-withdrawn = zurückgenommen
timeline-rest =
    { $count ->
        [one] 1 weiteres Byte wird nicht gezeigt.
       *[other] { $count } weitere Byte werden nicht gezeigt.
    }
timeline-got = Eingabe zeigen
timeline-got-and-came = Eingabe und Ergebnis zeigen
timeline-came = Ergebnis
timeline-earlier-came = Ergebnis eines früheren Aufrufs
timeline-input = Eingabe
timeline-output = Ausgabe
timeline-failed = fehlgeschlagen
timeline-none = Keine Entscheidung
timeline-none-yet = Noch keine Entscheidung
timeline-none-of-ours = Keine Entscheidung von uns
timeline-decided = Entschieden
timeline-by-id = zugeordnet nach Kennung
timeline-by-content = zugeordnet nach Inhalt
timeline-by-several = zugeordnet nach Inhalt, mehrere haben ihn
timeline-tokens = Tokens:
timeline-tokens-in = { $count } ein
timeline-tokens-out = { $count } aus
timeline-tokens-cached = { $count } aus dem Cache
timeline-tokens-written = { $count } in den Cache
timeline-cost = Kosten: { $cost }

transcripts-evidence = Was Agenten selbst von ihren Sitzungen festhalten. Ein Agent kann es schreiben: Es ist ein Indiz und nie maßgeblich.
transcripts-all = alle
transcripts-empty = Es gibt kein Protokoll.
transcripts-looked = Gesucht in:
transcripts-size = Größe
transcripts-project = Projekt und wie es begann
transcripts-newer = Neuere
transcripts-older = Ältere
transcripts-count = { $count } insgesamt
transcript-in-record = Die Sitzung in der Aufzeichnung
transcript-newest = Neueste
transcript-later = Später
transcript-further = Weiter
transcript-nothing = Auf dieser Seite wird nichts gesagt.
transcript-reading = Es wird gelesen:
transcript-not-all = Summen und Abdeckung umfassen noch nicht alles.
transcript-prompts = Prompts
transcript-calls = Werkzeugaufrufe
transcript-used = Verbraucht
transcript-damage = Schäden
transcript-damaged =
    { $count ->
        [one] 1 Zeile ist nicht ganz lesbar
       *[other] { $count } Zeilen sind nicht ganz lesbar
    }
transcript-uncovered =
    { $count ->
        [one] { $count } von { $checked } Aufrufen, die Befehle ausführen oder Dateien ändern, hat keine Entscheidung von uns.
       *[other] { $count } von { $checked } Aufrufen, die Befehle ausführen oder Dateien ändern, haben keine Entscheidung von uns.
    }
transcript-either = Entweder liefen sie am Wächter vorbei, oder das Protokoll sagt nicht die Wahrheit: Der Agent kann es schreiben. Es ist ein Indiz und nie maßgeblich.
transcript-which = Welche
transcript-more = Und { $count } mehr.
transcript-there = Dort
transcript-covered =
    { $count ->
        [one] Der eine Aufruf, der Befehle ausführt oder Dateien ändert, hat eine Entscheidung von uns.
       *[other] Jeder der { $count } Aufrufe, die Befehle ausführen oder Dateien ändern, hat eine Entscheidung von uns.
    }
transcript-older =
    { $count ->
        [one] 1 Aufruf ist älter als die Aufzeichnung.
       *[other] { $count } Aufrufe sind älter als die Aufzeichnung.
    }
transcript-uncompared =
    { $count ->
        [one] 1 weiterer Aufruf ist zu viel für den Vergleich mit der Aufzeichnung.
       *[other] { $count } weitere Aufrufe sind zu viele für den Vergleich mit der Aufzeichnung.
    }

call-one = Aufruf
call-title = Aufruf { $number }
call-more-bytes =
    { $count ->
        [one] und 1 weiteres Byte
       *[other] und { $count } weitere Byte
    }
call-kept = Was der Agent davon festhält
call-directory = Verzeichnis
call-claims = Angeblich für
call-ended = Ende
call-before = Vorher gesichert
call-undo = Was sich änderte, zeigt `{ $command }`
call-score = Bewertung
call-safe = zu { $score } von 100 sicher
call-judged = Beurteilt in
call-micros = { $count } µs
call-found = Was gefunden wurde
call-again = Wie es jetzt beurteilt würde, im Einzelnen
call-course = Wer es sah und was entschieden wurde
call-hook = der Hook { $event }
call-hook-of = der Hook { $event } von { $tool }
call-asked-terminal = eine Person wurde am Terminal gefragt; { $came }
call-asked-host = eine Person wurde am Host gefragt; { $came }
call-asked-question = eine Person wurde am Host gefragt (Frage { $id }); { $came }
call-no-answer = { $time } lang antwortete niemand
call-model-answered = ein Modell antwortete nach { $time }
call-answered = beantwortet nach { $time }
call-answered-by = beantwortet nach { $time } { $proof }
call-paused = { $told } (Pause: { $by })
