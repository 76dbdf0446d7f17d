pause-begun = pause de { $time } : les questions ne sont pas signalées, elles attendent ; `guarded-sh pause off` y met fin
pause-over = pas de pause : les questions sont signalées
pause-stands = en pause, encore { $time }
