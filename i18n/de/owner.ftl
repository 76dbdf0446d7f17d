change-save = Speichern
change-written = { $file } ist geschrieben
change-not-made = Nicht geändert
change-no-script = Ohne JavaScript lässt sich nichts ändern: Eine Änderung wird mit einem Schlüssel signiert, der im Browser bleibt.
change-what = Was sich ändert
change-looking = Wird nachgesehen…
change-place = Zeile { $line }, Spalte { $column }:

rules-intro = Die eigenen Regeln; sie gelten neben den eingebauten. Eine Regel bringt ihre Beispiele mit: Zeilen, bei denen sie anschlägt, und Zeilen, bei denen sie es nicht tut.
rules-files = Regeldateien
rules-new = neue Datei
rules-where = Sie liegen in `{ $path }`.
rules-name = Name der Datei, ohne `.toml`
rules-check = Prüfen
rules-try = An der Aufzeichnung proben
rules-same = So steht es schon in der Datei.
rules-not-yet = Speichern geht, sobald alle Beispiele stimmen.
rules-save = Regeln speichern
rules-written = { $file } ist geschrieben: die Regeln gelten ab jetzt
rules-no-examples = Keine Beispiele.
rules-holds = stimmt
rules-fails = stimmt nicht
rules-tried = An der Aufzeichnung geprobt
rules-no-change = In der letzten Woche hätte sich nichts geändert: { $lines }.
rules-changes =
    { $count ->
        [one] In der letzten Woche hätte sich 1 Entscheidung geändert. Geprobt: { $lines }.
       *[other] In der letzten Woche hätten sich { $count } Entscheidungen geändert. Geprobt: { $lines }.
    }
rules-lines =
    { $count ->
        [one] eine Zeile
       *[other] { $count } verschiedene Zeilen
    }
rules-times = { $count }-mal
rules-more = Und { $count } weitere Zeilen.
rules-runs = läuft
rules-contained = läuft eingezäunt
rules-asked = wird gefragt
rules-refused = wird abgelehnt

settings-intro = Was gilt, und woher es kommt. Geändert wird die eigene Datei; was die Richtlinie der Maschine sperrt, bleibt.
settings-directory = So wie im Verzeichnis
settings-home = Home-Verzeichnis
settings-show = Zeigen
settings-broken = Die Einstellungen sind fehlerhaft; bis sie berichtigt sind, wird jede Zeile abgelehnt:
settings-files = Dateien, spätere gehen vor
settings-not-there = (nicht vorhanden)
settings-whole = Die eigene Datei als Ganzes
settings-changes = Änderung zeigen
settings-general = Allgemein
settings-locked = Die Richtlinie der Maschine sperrt es: `{ $where }`
settings-in-whole = Zu ändern in der Datei als Ganzes.
settings-value = Wert
settings-remove = Aus der eigenen Datei nehmen
settings-same = Nichts ändert sich: so steht es schon in der eigenen Datei.
settings-ignored = { $file } ist geschrieben, aber nicht alles darin zählt: { $what }
settings-default = Standard
settings-session = Sitzung
settings-unset = nicht gesetzt

prompts-intro = Was einem Sprachmodell gesagt wird, wenn die Einstellungen eines befragen lassen. Ein Teil, der nicht geändert ist, folgt den Updates des Programms.
prompts-parts = Teile
prompts-yours = { $part } (eigener)
prompts-own = Eigener Text, in `{ $path }`.
prompts-built-in = Der Text ist eingebaut.
prompts-text = Was einem Modell gesagt wird
prompts-placeholders = Platzhalter
prompts-needed = nötig
prompts-common = `{ $common }` steht für das, was die Prompts einer Art gemeinsam haben:
prompts-line = Gezeigt mit der Zeile
prompts-check = Prüfen und Vorschau
prompts-back = Zurück zum eingebauten Text
prompts-remove = Eigenen Text entfernen
prompts-same = Nichts ändert sich: das wird einem Modell schon gesagt.
prompts-preview = Was ein Modell lesen würde
prompts-again = { $part } ist wieder der eingebaute Text
measured-title = Modelle, gemessen
measured-none = Noch wurde kein Modell gemessen. `guarded-sh judge eval DATEI` befragt die eingestellten Modelle zu Zeilen, die Sie bewertet haben, und führt nichts aus.
measured-runs =
    { $count ->
        [one] zu jeder Zeile einmal gefragt
       *[other] zu jeder Zeile { $count }-mal gefragt
    }
measured-so-far = { $done } von { $rows } Zeilen sind fertig:
measured-cut = Vorzeitig beendet: { $done } von { $rows } Zeilen waren fertig.

agents-intro = Die Agenten auf dieser Maschine, und ob beurteilt wird, was sie ausführen. Das wird keiner Einstellung geglaubt: Was der Agent starten würde, wird gestartet und muss ablehnen, was nicht harmlos ist.
agents-look = Nachsehen
agents-none = Kein Agent gefunden.
agents-shell = Shell
agents-hooks = Hooks
agents-guarded = bewacht
agents-not-guarded = nicht bewacht
agents-to-do = Zu tun:
agents-install = Einrichten…
agents-uninstall = Entfernen…
agents-change = Diese Dateien ändern
agents-installed = der Wächter ist in { $agent } eingerichtet: er gilt ab dem nächsten Start
agents-uninstalled = der Wächter ist aus { $agent } entfernt

suggest-title = Vorschläge
suggest-less = Was weniger Fragen gebracht hätte
suggest-look = In der Aufzeichnung danach suchen
suggest-damaged = Ein Teil der Aufzeichnung ist beschädigt und wurde nicht durchgesehen.
suggest-none = Keine Änderung der Einstellungen hätte { $count } Antworten der letzten 30 Tage erspart, die alle Ja waren.
suggest-yes =
    { $count ->
        [one] Was damit liefe, wurde einmal erlaubt und nie abgelehnt:
       *[other] Was damit liefe, wurde { $count }-mal erlaubt und nie abgelehnt:
    }
suggest-nothing-else = Von dem, wonach gefragt wurde, wäre sonst nichts durchgekommen.
suggest-others = Durchgekommen wäre auch, worauf niemand geantwortet hat:
suggest-take = Übernehmen
suggest-write = In die eigenen Einstellungen schreiben
suggest-more = Und { $count } weitere.

try-intro = Eine Zeile, wie ein Agent sie schickt. Sie wird beim Tippen beurteilt; nichts läuft.
try-rules = Regeln werden nebenan geschrieben und geprobt.
try-directory = Verzeichnis
try-other = Was wäre, wenn
try-profile = Profil
try-as-it-is = wie es ist
try-threshold = Schwelle: der Wert, 0 bis 100, ab dem Zeilen sofort laufen
try-rule = Eine oder mehrere Regeln
try-judge = Beurteilen
try-verdict = So wird sie beurteilt
try-now = Wie es ist
try-then = Wie es wäre
try-mistakes = Die Regel ist nicht verwendbar:
try-runs = läuft
try-contained = läuft eingezäunt
try-asks = fragt
try-refused = wird abgelehnt
try-safe = zu { $score } von 100 sicher
try-terms = Profil { $profile }, Schwelle { $threshold }, beurteilt in { $micros } µs.
try-instead = Stattdessen: `{ $line }`
try-plan = Der Plan: was laufen wird, und was es tut
try-nothing = Nichts.
try-unread = Nicht bekannt: die Zeile ist nicht lesbar.
try-more = Und { $count } weitere Befehle.
try-no-command = (eine Umleitung oder Zuweisung)
try-quieter = Was weniger Fragen brächte
try-share = Als Text weitergeben
try-shared = Die Beurteilung als Text
try-copy = Kopieren
try-copied = Kopiert.
try-copy-keys = Strg-C kopiert, was markiert ist.
