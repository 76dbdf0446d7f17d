tray-idle = no hay preguntas pendientes
tray-waiting =
    { $count ->
        [one] 1 pregunta pendiente
       *[other] { $count } preguntas pendientes
    }
tray-more =
    { $count ->
        [one] 1 pregunta más
       *[other] { $count } preguntas más
    }
tray-open = Abrir la página
tray-pause-minutes = Pausa de 15 minutos
tray-pause-hour = Pausa de una hora
tray-go-on = Reanudar
tray-quit = Cerrar el icono
tray-failed = no se puede abrir la página: { $why }

pause-begun = pausa de { $time }: no se avisa de las preguntas, que esperan; `guarded-sh pause off` la termina
pause-over = sin pausa: se avisa de las preguntas
pause-stands = en pausa, quedan { $time }
