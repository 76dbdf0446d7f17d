record-reading = Se está leyendo el registro:
record-not-all = Aún no se muestra todo.
record-read = El registro se ha leído entero. Vuelva a cargar la página para verlo todo.
record-part = { $part } %
record-earlier = Anteriores
record-not-here = Desde aquí no
record-only-here = Esto se ve y se cambia en un navegador en la propia máquina.
record-times =
    { $count ->
        [one] una vez
       *[other] { $count } veces
    }
record-status = estado { $status }
record-took = duró { $time }
record-tenths = { $whole },{ $tenths } s
record-seconds = { $count } s
record-minutes = { $count } min
record-hours = { $count } h

ended-signal = terminado por una señal
ended-unforeseen =
    { $count ->
        [one] se ejecutó 1 programa no previsto
       *[other] se ejecutaron { $count } programas no previstos
    }
ended-made = creado:
ended-changed = cambiado:
ended-more = y { $count } más

overview-unverified = El registro no supera la verificación: { $why }
overview-hosts =
    { $count ->
        [0] No se sigue ningún anfitrión.
        [one] Se sigue un anfitrión.
       *[other] Se siguen { $count } anfitriones.
    }
overview-waiting =
    { $count ->
        [0] Ninguna pregunta espera
        [one] Una pregunta espera
       *[other] { $count } preguntas esperan
    }
overview-far = Periodo
overview-day = un día
overview-week = una semana
overview-weeks = cuatro semanas
overview-empty = No se decidió nada en este periodo.
overview-coverage = Cobertura
overview-uncovered = Llamadas sin decisión nuestra
overview-uncovered-in =
    { $count ->
        [one] { $count } de las { $checked } últimas transcripciones examinadas tiene alguna:
       *[other] { $count } de las { $checked } últimas transcripciones examinadas tienen alguna:
    }
overview-uncovered-of = { $count } de { $checked }
overview-still =
    { $count ->
        [one] Una de las últimas transcripciones aún se está leyendo.
       *[other] { $count } de las últimas transcripciones aún se están leyendo.
    }
overview-decided = Decidido
overview-ran = Se ejecutó sin preguntar o tras un sí
overview-contained = Se ejecutó cercado
overview-asked = Preguntado
overview-to-agent = Pregunta dejada al agente
overview-refused = Denegado
overview-shadow = En modo sombra
overview-waited = Espera de personas
overview-judged = Consultado un modelo
overview-spent = Gastado hoy en modelos
overview-cost = consultas: { $calls }, tokens: { $tokens }, { $money } según los precios propios
overview-share = { $count } ({ $percent } %)
overview-most = Lo que más se preguntó
overview-nothing = Nada.
overview-rule = Regla
overview-rule-times = Veces
overview-chart = Lo decidido, en { $columns } columnas, como mucho { $most } en una
overview-bar = { $when }: { $ran } ejecutadas, { $refused } denegadas; { $asked } de ellas preguntadas
overview-bar-ran = ejecutado
overview-bar-refused = denegado
overview-bar-asked = preguntado
overview-scale =
    { $hours ->
        [one] Una columna es una hora, la más alta tiene { $most }.
       *[other] Una columna son { $hours } horas, la más alta tiene { $most }.
    }

history-rule = Regla
history-search = Buscar
history-empty = Nada en el registro coincide.
history-count =
    { $count ->
        [one] Una llamada.
       *[other] { $count } llamadas.
    }
history-newest = Las { $count } más recientes; puede haber anteriores.

sessions-empty = El registro aún no tiene ninguna sesión.
sessions-last = Última vez
sessions-asked = Preguntadas
sessions-refused = Denegadas
session-more = Hay más:
session-load = cargarlo
session-empty = El registro no tiene nada de esta sesión.
session-no-agent = agente desconocido
session-time = Tiempo
session-decided = Decidido
session-counts = { $calls }, preguntado { $asked }, denegado { $refused }
session-export = Exportar:
session-transcript = Transcripción
session-kept-by = tal como la guarda { $agent }
session-files = Archivos escritos o cambiados, según los nombran sus llamadas: { $count }

timeline-person = Persona
timeline-model = Modelo
timeline-thought = Modelo, para sí
timeline-client = Cliente
timeline-helper = ayudante
timeline-withdrawn = retirado
timeline-rest =
    { $count ->
        [one] No se muestra 1 byte más.
       *[other] No se muestran { $count } bytes más.
    }
timeline-got = Lo que recibió
timeline-got-and-came = Lo que recibió y su resultado
timeline-came = Resultado
timeline-earlier-came = Resultado de una llamada anterior
timeline-input = Entrada
timeline-output = Salida
timeline-failed = falló
timeline-none = Sin decisión
timeline-none-yet = Aún sin decisión
timeline-none-of-ours = Sin decisión nuestra
timeline-decided = Decidido
timeline-by-id = asociado por identificador
timeline-by-content = asociado por contenido
timeline-by-several = asociado por contenido, lo tienen varias
timeline-tokens = Tokens:
timeline-tokens-in = { $count } de entrada
timeline-tokens-out = { $count } de salida
timeline-tokens-cached = { $count } leídos de caché
timeline-tokens-written = { $count } escritos en caché
timeline-cost = Coste: { $cost }

transcripts-evidence = Lo que los agentes guardan por sí mismos de sus sesiones. Un agente puede escribirlo: es un indicio, nunca una autoridad.
transcripts-all = todos
transcripts-empty = No hay ninguna transcripción.
transcripts-looked = Se buscó en:
transcripts-size = Tamaño
transcripts-project = Proyecto y cómo empezó
transcripts-newer = Más recientes
transcripts-older = Más antiguas
transcripts-count = { $count } en total
transcript-in-record = La sesión en el registro
transcript-newest = Lo más reciente
transcript-later = Posteriores
transcript-further = Continuación
transcript-nothing = En esta página no se dice nada.
transcript-reading = Se está leyendo:
transcript-not-all = Las sumas y la cobertura aún no abarcan todo.
transcript-prompts = Prompts
transcript-calls = Llamadas a herramientas
transcript-used = Consumo
transcript-damage = Daños
transcript-damaged =
    { $count ->
        [one] 1 línea no se puede leer del todo
       *[other] { $count } líneas no se pueden leer del todo
    }
transcript-uncovered =
    { $count ->
        [one] { $count } de { $checked } llamadas que ejecutan órdenes o cambian archivos no tiene decisión nuestra.
       *[other] { $count } de { $checked } llamadas que ejecutan órdenes o cambian archivos no tienen decisión nuestra.
    }
transcript-either = O se ejecutaron sin pasar por el guardián, o la transcripción no dice la verdad: el agente puede escribirla. Es un indicio, nunca una autoridad.
transcript-which = Cuáles
transcript-more = Y { $count } más.
transcript-there = Ahí
transcript-covered =
    { $count ->
        [one] La única llamada que ejecuta órdenes o cambia archivos tiene decisión nuestra.
       *[other] Cada una de las { $count } llamadas que ejecutan órdenes o cambian archivos tiene decisión nuestra.
    }
transcript-older =
    { $count ->
        [one] 1 llamada es anterior al registro.
       *[other] { $count } llamadas son anteriores al registro.
    }
transcript-uncompared =
    { $count ->
        [one] 1 llamada más es demasiado para compararla con el registro.
       *[other] { $count } llamadas más son demasiadas para compararlas con el registro.
    }

call-one = Llamada
call-title = Llamada { $number }
call-more-bytes =
    { $count ->
        [one] y 1 byte más
       *[other] y { $count } bytes más
    }
call-kept = Lo que guarda de ella el agente
call-directory = Directorio
call-claims = Dice ser para
call-ended = Final
call-before = Guardado antes
call-undo = Lo que cambió se ve con `{ $command }`
call-score = Puntuación
call-safe = segura en { $score } de 100
call-judged = Juzgada en
call-micros = { $count } µs
call-found = Lo que se encontró
call-again = Cómo se juzgaría ahora, con todo detalle
call-course = Quién la vio y qué se decidió
call-hook = el hook { $event }
call-hook-of = el hook { $event } de { $tool }
call-asked-terminal = se preguntó a una persona en el terminal; { $came }
call-asked-host = se preguntó a una persona en el anfitrión; { $came }
call-asked-question = se preguntó a una persona en el anfitrión (pregunta { $id }); { $came }
call-no-answer = nadie respondió durante { $time }
call-model-answered = un modelo respondió tras { $time }
call-answered = respondida tras { $time }
call-answered-by = respondida tras { $time } { $proof }
call-paused = { $told } (en pausa: { $by })
