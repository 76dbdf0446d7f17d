page-skip = Zum Inhalt
page-pages = Seiten
page-leave = Abmelden
page-the-line = Die Zeile
page-now = Jetzt
page-live = Live
page-transcripts = Protokolle
page-rules = Regeln
page-settings = Einstellungen
page-prompts = Prompts
page-agents = Agenten
page-sessions = Sitzungen
page-overview = Übersicht
page-history = Verlauf
page-try = Testfeld

now-no-key = Dieser Browser kann zusehen, aber nicht antworten: Er hat keinen Schlüssel. Zum Koppeln die Seite mit einem neuen Code öffnen.
now-no-script = Ohne JavaScript zeigt diese Seite den Stand beim Laden und kann nicht antworten.
now-empty = Nichts wartet auf eine Antwort.
now-no-host = Es ist keine Sitzung da: einen Agenten mit `guarded-sh run` starten, oder den Dienst mit `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] Ein Host ist verbunden.
       *[other] { $count } Hosts sind verbunden.
    }
now-answered = Kürzlich beantwortet
now-question = Frage { $id }
now-in = in
now-waits = wartet
now-left = niemand wartet mehr: ein Ja gilt für den nächsten Versuch
now-trying = Wird geprobt…
now-deny = Ablehnen
now-once = Einmal erlauben
now-try = Erst proben
now-keep = Ergebnis übernehmen
now-type-word = `{ $word }` tippen, um es einmal auszuführen
now-more = Mit Nachricht ablehnen oder die Zeile ändern
now-more-stop = Mit Nachricht ablehnen, den Agenten beenden oder die Zeile ändern
now-stop = Ablehnen und den Agenten beenden
now-together = { $count } Fragen zu { $commands }: zusammen beantworten
now-deny-each = Jede davon ablehnen
now-once-each = Jede davon einmal erlauben
now-looks = Von hier aus kann man zusehen, aber nicht antworten: so sagt es `page.remote.answer` in den Einstellungen.
now-message = Nachricht an den Agenten
now-deny-with = Mit dieser Nachricht ablehnen
now-edit = Zeile, die stattdessen beurteilt wird
now-judge = Diese Zeile beurteilen lassen
now-session = Für die Sitzung erlauben
now-allow-this = Das für die Sitzung erlauben
now-always = Immer erlauben: diese Regel wird geschrieben
now-write = Regel schreiben und erlauben

live-filter = Filter
live-text = Text
live-agent = Agent
live-session = Sitzung
live-project = Projekt
live-action = Aktion
live-least = Mindestens
live-any = alle
live-pause = Anhalten
live-no-script = Ohne JavaScript zeigt diese Seite die neuesten Aufrufe vom Zeitpunkt des Ladens.
action-allow = erlaubt
action-contain = eingezäunt
action-ask = gefragt
action-deny = abgelehnt

files-title = Dateien
files-link = Was aus den Dateien wurde
files-from-undo = Was Undo vor den Zeilen aufbewahrt hat, neben dem, was jetzt da ist. Dateien, die ohne eine Zeile der Shell geändert werden, gehören nicht dazu.
files-nothing-kept = Undo hat vor diesen Zeilen nichts aufbewahrt.
files-as-they-were = Alles ist, wie es war.
files-made = angelegt
files-changed = geändert
files-deleted = gelöscht
files-dressed = andere Rechte oder andere Zeit
files-more =
    { $count ->
        [one] 1 weiterer Pfad wird nicht gezeigt.
       *[other] { $count } weitere Pfade werden nicht gezeigt.
    }
files-lines =
    { $count ->
        [one] 1 weitere Zeile wird nicht gezeigt.
       *[other] { $count } weitere Zeilen werden nicht gezeigt.
    }
files-unread = Nicht gelesen: { $what }

rows-calls = Aufrufe
rows-when = Wann
rows-agent = Agent
rows-severity = Schwere
rows-happened = Was geschah
rows-line = Zeile

script-units = s min h
script-unknown = dieser Browser ist hier nicht mehr bekannt
script-no-key = dieser Browser hat keinen Schlüssel: zum Koppeln die Seite mit einem neuen Code öffnen
script-not-taken = Nicht angenommen
script-unreached = Die Seite ist gerade nicht erreichbar: Das Gezeigte kann alt sein.
