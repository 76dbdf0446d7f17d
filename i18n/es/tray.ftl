pause-begun = pausa de { $time }: no se avisa de las preguntas, que esperan; `guarded-sh pause off` la termina
pause-over = sin pausa: se avisa de las preguntas
pause-stands = en pausa, quedan { $time }
