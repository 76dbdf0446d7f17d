tray-idle = keine Frage wartet
tray-waiting =
    { $count ->
        [one] 1 Frage wartet
       *[other] { $count } Fragen warten
    }
tray-more =
    { $count ->
        [one] 1 weitere Frage
       *[other] { $count } weitere Fragen
    }
tray-open = Seite öffnen
tray-pause-minutes = 15 Minuten Pause
tray-pause-hour = Eine Stunde Pause
tray-go-on = Weiter
tray-quit = Symbol beenden
tray-failed = die Seite lässt sich nicht öffnen: { $why }

pause-begun = Pause für { $time }: Fragen werden nicht gemeldet, sie warten; `guarded-sh pause off` beendet sie
pause-over = keine Pause: Fragen werden gemeldet
pause-stands = Pause, noch { $time }
