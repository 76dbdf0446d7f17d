severity-low = niedrig
severity-medium = mittel
severity-high = hoch
severity-critical = kritisch

question-asks = guarded-sh fragt
question-asked = guarded-sh fragte
question-program = ein Programm
question-place-gone = einem Verzeichnis, das es nicht mehr gibt
question-seconds-left = noch { $count } s
question-minutes-left = noch { $count } min
question-wants-to-run = { $who } will das hier ausführen in { $place }
question-who-where = { $who } in { $place }
question-nobody-waits = niemand wartet mehr: ein Ja gilt für den nächsten Versuch
question-session = Sitzung { $session }
question-more-wait =
    { $count ->
        [one] 1 weitere wartet
       *[other] { $count } weitere warten
    }
question-too-small = guarded-sh fragt, aber dieses Terminal ist zu klein, um zu zeigen, was: { $columns } mal { $rows } sind nötig. Escape lehnt ab.
question-left-closed = Diese Frage ist weg: { $why }. Esc schließt sie.
question-left = Diese Frage ist weg: { $why }. Sie nimmt keine Antwort mehr an, und was getippt wird, geht bis zum Druck auf Esc ins Leere.
question-is-answered = Beantwortet: { $how }.
question-no-answer-needed = es braucht keine Antwort mehr

question-fence = Zaun
question-model = Modell
question-more-reasons =
    { $count ->
        [one] 1 weiterer Grund
       *[other] { $count } weitere Gründe
    }
question-safer = sicherer: { $line }
question-not-held = sie wird nicht eingezäunt
question-held-to-nothing = hält sie nach einem Ja von nichts ab: { $why }
question-held-with-tcp = lässt sie nach einem Ja { $writes } schreiben und TCP nutzen
question-held-without-tcp = lässt sie nach einem Ja { $writes } schreiben, aber kein TCP nutzen
question-anywhere = überall
question-in-places =
    { $more ->
        [0] in { $places }
       *[other] in { $places } und { $more } mehr
    }
question-no-opinion = keine zweite Meinung: { $why }
question-model-notes = { $model } merkt an: { $note }
question-model-within = { $model } sieht es von der Aufgabe gedeckt, zu { $score } von 100 sicher
question-model-wider = { $model } sieht es weiter gehen als die Aufgabe, zu { $score } von 100 sicher
question-model-unclear = { $model } weiß es nicht, zu { $score } von 100 sicher

choice-deny = ablehnen
choice-once = einmal
choice-session = Sitzung…
choice-always = immer…
choice-deny-does = mit der Begründung
choice-once-by-word = nur dieses Mal; dafür ist ein Wort zu tippen
choice-session-does = bis die Sitzung endet; wofür, wird erst gezeigt
choice-always-does = schreibt eine Regel; sie wird erst gezeigt
choice-place = { $at } von { $count }
choice-back = zurück
choice-keep = Ergebnis übernehmen
choice-write = Regel schreiben und Zeile ausführen
choice-stop = ablehnen und den Agenten beenden

question-once-covers = nur dieses Mal: genau diese Zeile, in diesem Verzeichnis
question-for-session = Bis die Sitzung von { $who } endet, erlauben:
question-commands = { $rest } und { $last }
question-same = dasselbe
question-other-lines-too = { $commands }, auch in anderen Zeilen
question-only-this-line = nur genau diese Zeile
question-byte-for-byte = Byte für Byte, in { $place }
question-exactly = genau { $words }
question-more-things =
    { $count ->
        [one] 1 weitere Wirkung dieser Zeile
       *[other] { $count } weitere Wirkungen dieser Zeile
    }
question-no-worse = nicht schlimmer als { $severity }
question-no-worse-and-only = nicht schlimmer als { $severity }, und nichts außer:
question-any-package = installiert Pakete aus der Registry, gleich welche
question-same-inside = { $does }, und dasselbe mit anderen im Arbeitsbereich
question-same-built = { $does }, und dasselbe mit anderen Ergebnissen des Builds
question-same-temporary = { $does }, und dasselbe mit anderen in temporären Verzeichnissen
question-rule = Diese Regel käme dauerhaft zu den eigenen Regeln:
question-no-rule = keine Regel geschrieben: { $why }

key-more = mehr
key-choose = wählen
key-takes = nehmen
key-allows = erlauben
key-edit = ändern
key-deny-and-say = ablehnen, mit Text
key-deny-and-end = ablehnen, Agent beenden
key-denies-and-sends = ablehnen und senden
key-try = proben
key-explain = erklären
key-back = zurück
key-done = fertig
key-new-line = neue Zeile
key-scroll = blättern
key-next-question = zeigt die nächste Frage
key-closes = schließt das

question-type-word = Das kann großen Schaden anrichten. Zum Ausführen { $word } tippen und Enter drücken:
question-deny-and-tell = Ablehnen und { $who } mitteilen:
question-stop = Ablehnen und { $who } beenden: wer gefragt hat, bekommt SIGTERM, und nach 5 Sekunden SIGKILL. Was dort nicht gesichert ist, geht verloren.
question-edit = Zeile ändern. Sie wird vor dem Ausführen beurteilt wie jede andere.
question-not-the-word = das ist nicht das Wort
question-nothing-to-run = es gibt nichts auszuführen
question-nothing-changed = nichts wurde geändert

question-moment = einen Moment…
question-keys-held = einen Moment: Tasten zählen noch nicht
question-keys-early = vor dem Lesen getippt, daher verworfen; einen Moment
question-keys-in-burst = zu schnell getippt, daher verworfen; einen Moment, dann eine Taste
question-keys-for-nothing = das ging ins Leere: Esc schließt das hier
question-key-too-fast = diese Taste kam zu schnell nach dem Text: nochmals drücken
question-key-unknown = diese Taste bewirkt hier nichts; einen Moment
question-pasted = Eingefügtes ist keine Antwort; einen Moment
question-unseen = auch dieser Teil zählt: erst lesen, dann nochmals Enter
question-disturbed = ein anderes Programm schrieb darüber: neu gezeichnet, also neu lesen
question-disturbing = ein anderes Programm schrieb darüber; Moment: Tasten zählen noch nicht

question-trying = Wird geprobt, wo es nichts ändert: kein Netz, keine Geheimnisse, und was es schreibt, kommt beiseite.
question-not-tried = Die Probe ging nicht: { $why }.
question-not-kept = Nicht zu übernehmen: { $why }. Nichts wurde geändert.
trial-ended = Geprobt: { $how }. Nichts wurde geändert.
trial-untried = Nicht geprobt: { $what }.
trial-printed = Ausgabe:
trial-nothing = Im Arbeitsbereich würde sich nichts ändern.
trial-unreadable = Was sich ändern würde, ist nicht zu lesen: { $why }

answered-denied = abgelehnt
answered-stopped = abgelehnt und der Agent beendet
answered-denied-with = abgelehnt, mit der Nachricht: { $message }
answered-once = einmal erlaubt
answered-session = bis zum Ende der Sitzung erlaubt, auch in anderen Zeilen
answered-session-line = genau diese Zeile bis zum Ende der Sitzung erlaubt
answered-always = für immer erlaubt
answered-edited = stattdessen diese Zeile: { $line }
answered-kept = ausgeführt wie geprobt
short-denied = abgelehnt
short-once = einmal
short-session = Sitzung
short-always = immer
short-edited = geändert
short-kept = behalten
