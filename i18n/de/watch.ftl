short-waits = wartet
short-waits-for = noch { $time }
short-left = weg
short-seconds = { $count }s
short-minutes = { $count }m
short-hours = { $count }h

watch-open = offen { $count }
watch-history = Verlauf { $count }
watch-waiting =
    { $hosts ->
        [one] { $waiting } wartend · 1 Host
       *[other] { $waiting } wartend · { $hosts } Hosts
    }
watch-no-history = in letzter Zeit wurde nichts beantwortet
watch-no-host = kein Host läuft: `guarded-sh serve` ist einer, und jedes `guarded-sh run`
watch-no-questions = keine Fragen warten
watch-shows-all = Enter zeigt alles
watch-gone = (weg)
watch-why-where = { $why } (in { $place })
watch-too-small = { $open } offen; nötig sind { $columns } mal { $rows }
watch-not-all = nicht alle zu sehen: { $why }
watch-keys-in-burst = zu schnell getippt, daher verworfen; eine Taste drücken
watch-asker-ended = wer fragte, oder der Host, ist beendet
watch-host-ended = der Host ist beendet
watch-not-taken = die Antwort wurde nicht angenommen: { $why }

watch-foot-open = Enter öffnen · d ablehnen · h Verlauf · ? Hilfe · q beenden
watch-foot-none-open = h Verlauf · ? Hilfe · q beenden
watch-foot-history = Enter öffnen · Esc zurück · ? Hilfe · q beenden
watch-foot-no-history = Esc zurück · ? Hilfe · q beenden
watch-foot-help = jede Taste führt zurück
watch-help-choose = Frage wählen; PgUp PgDn Home End gehen weiter
watch-help-open = öffnen: alles, was es dazu zu sagen gibt, und jede Antwort
watch-help-deny = sofort ablehnen
watch-help-history = zuletzt Beantwortetes, und zurück
watch-help-quit = beenden; Fragen bleiben offen

answer-permitted-once = einmal erlaubt: { $line }
answer-permitted-session = für die Sitzung erlaubt: { $line }
answer-permitted-line = für die Sitzung erlaubt, nur diese Zeile hier: { $line }
answer-denied = abgelehnt: { $line }
answer-stopped = abgelehnt, und der Agent soll enden: { $line }
answer-critical-once = es ist kritisch: ein Ja gilt nur dieses eine Mal
answer-not-permitted = nicht erlaubt; die Frage bleibt offen
answer-type-word = `{ $word }` tippen, um es einmal auszuführen; alles andere lässt es:
answer-no-such = keine offene Frage hat die Kennung { $id }
answer-lists = guarded-sh pending listet sie auf

run-cannot-show = { $who } will '{ $line }' ausführen, und dieses Terminal kann die Frage nicht zeigen (TERM): in einem anderen mit `guarded-sh watch` antworten
run-gave-up = wer fragte, wartet nicht länger
run-answered-elsewhere = anderswo beantwortet: { $how }
run-needs-none = wer fragte, ist beendet oder braucht keine Antwort mehr
run-ended = wer fragte, ist beendet

notice-asks = guarded-sh fragt: { $severity } ({ $id })
notice-warns = guarded-sh warnt
notice-open = Öffnen

practice-wanted = Eine Frage zur Übung? Nichts läuft, was auch immer die Antwort ist.
practice-said = Antwort: { $how }
practice-left = offen gelassen: eine echte bliebe offen, und ihr Agent wäre vorerst abgelehnt
