tray-idle = aucune question en attente
tray-waiting =
    { $count ->
        [one] 1 question en attente
       *[other] { $count } questions en attente
    }
tray-more =
    { $count ->
        [one] 1 autre question
       *[other] { $count } autres questions
    }
tray-open = Ouvrir la page
tray-pause-minutes = Pause de 15 minutes
tray-pause-hour = Pause d’une heure
tray-go-on = Reprendre
tray-quit = Fermer l’icône
tray-failed = impossible d’ouvrir la page : { $why }

pause-begun = pause de { $time } : les questions ne sont pas signalées, elles attendent ; `guarded-sh pause off` y met fin
pause-over = pas de pause : les questions sont signalées
pause-stands = en pause, encore { $time }
