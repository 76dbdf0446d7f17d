short-waits = espera
short-waits-for = queda { $time }
short-left = se fue
short-seconds = { $count }s
short-minutes = { $count }m
short-hours = { $count }h

watch-open = abiertas { $count }
watch-history = historial { $count }
watch-waiting =
    { $hosts ->
        [one] { $waiting } en espera · 1 anfitrión
       *[other] { $waiting } en espera · { $hosts } anfitriones
    }
watch-no-history = no se respondió nada últimamente
watch-no-host = no hay ningún anfitrión: `guarded-sh serve` es uno, y cada `guarded-sh run`
watch-no-questions = no hay preguntas en espera
watch-shows-all = Intro muestra todo
watch-gone = (ya no existe)
watch-why-where = { $why } (en { $place })
watch-too-small = { $open } abiertas; hacen falta { $columns } por { $rows }
watch-not-all = no se muestran todas: { $why }
watch-keys-in-burst = teclas demasiado rápidas, descartadas; pulsar una
watch-asker-ended = quien preguntó, o su anfitrión, terminó
watch-host-ended = el anfitrión terminó
watch-not-taken = no se aceptó la respuesta: { $why }

watch-foot-open = Intro abrir · d denegar · h historial · ? ayuda · q salir
watch-foot-none-open = h historial · ? ayuda · q salir
watch-foot-history = Intro abrir · Esc volver · ? ayuda · q salir
watch-foot-no-history = Esc volver · ? ayuda · q salir
watch-foot-help = cualquier tecla vuelve
watch-help-choose = elegir una pregunta; PgUp PgDn Home End avanzan más
watch-help-open = abrirla: todo lo que hay que decir de ella, y cada respuesta
watch-help-deny = denegarla enseguida
watch-help-history = lo respondido últimamente, y volver
watch-help-quit = salir; las preguntas siguen abiertas

answer-permitted-once = permitido una vez: { $line }
answer-permitted-session = permitido para la sesión: { $line }
answer-permitted-line = permitido para la sesión, esta línea aquí: { $line }
answer-denied = denegado: { $line }
answer-stopped = denegado, y el agente debe terminar: { $line }
answer-critical-once = es crítica: un sí vale solo esta vez
answer-not-permitted = no permitido; la pregunta sigue abierta
answer-type-word = Teclear `{ $word }` para ejecutarla una vez, otra cosa para dejarla:
answer-no-such = ninguna pregunta abierta tiene el identificador { $id }
answer-lists = guarded-sh pending las lista

run-cannot-show = { $who } quiere ejecutar '{ $line }', y esta terminal no puede mostrar la pregunta (TERM): responderla en otra con `guarded-sh watch`
run-gave-up = quien preguntó dejó de esperar
run-answered-elsewhere = respondida en otro lugar: { $how }
run-needs-none = quien preguntó terminó, o ya no necesita respuesta
run-ended = quien preguntó terminó

notice-asks = guarded-sh pregunta: { $severity } ({ $id })
notice-warns = guarded-sh advierte
notice-open = Abrir

practice-wanted = ¿Una pregunta para practicar? No se ejecuta nada, sea cual sea la respuesta.
practice-said = respuesta: { $how }
practice-left = quedó abierta: una de verdad seguiría abierta, y su agente quedaría denegado por ahora
