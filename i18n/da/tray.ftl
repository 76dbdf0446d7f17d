tray-idle = ingen spørgsmål venter
tray-waiting =
    { $count ->
        [one] 1 spørgsmål venter
       *[other] { $count } spørgsmål venter
    }
tray-more =
    { $count ->
        [one] 1 spørgsmål mere
       *[other] { $count } spørgsmål mere
    }
tray-open = Åbn siden
tray-pause-minutes = Pause i 15 minutter
tray-pause-hour = Pause i en time
tray-go-on = Fortsæt
tray-quit = Luk ikonet
tray-failed = siden kan ikke åbnes: { $why }

pause-begun = pause i { $time }: spørgsmål meldes ikke, de venter; `guarded-sh pause off` afslutter den
pause-over = ingen pause: spørgsmål meldes
pause-stands = pause, { $time } tilbage
