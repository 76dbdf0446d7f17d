severity-low = baja
severity-medium = media
severity-high = alta
severity-critical = crítica

question-asks = guarded-sh pregunta
question-asked = guarded-sh preguntó
question-program = un programa
question-place-gone = un directorio que ya no existe
question-seconds-left = quedan { $count } s
question-minutes-left = quedan { $count } min
question-wants-to-run = { $who } quiere ejecutar esto en { $place }
question-who-where = { $who } en { $place }
question-nobody-waits = ya nadie espera: un sí vale para el próximo intento
question-session = sesión { $session }
question-more-wait =
    { $count ->
        [one] 1 más espera
       *[other] { $count } más esperan
    }
question-too-small = guarded-sh pregunta, pero esta terminal es demasiado pequeña para mostrarlo: hacen falta { $columns } por { $rows }. Escape deniega.
question-left-closed = Esta pregunta ya no está: { $why }. Esc la cierra.
question-left = Esta pregunta ya no está: { $why }. No admite respuesta, y lo que se teclee se pierde hasta pulsar Esc.
question-is-answered = Respondida: { $how }.
question-no-answer-needed = ya no hace falta respuesta

question-fence = cerca
question-model = modelo
question-more-reasons =
    { $count ->
        [one] 1 motivo más
       *[other] { $count } motivos más
    }
question-safer = más seguro: { $line }
question-not-held = no queda cercada
question-held-to-nothing = tras un sí no la retiene nada: { $why }
question-held-with-tcp = tras un sí, puede escribir { $writes } y usar TCP
question-held-without-tcp = tras un sí, puede escribir { $writes }, sin TCP
question-anywhere = en cualquier lugar
question-in-places =
    { $more ->
        [0] en { $places }
       *[other] en { $places } y { $more } más
    }
question-no-opinion = sin segunda opinión: { $why }
question-model-notes = { $model } anota: { $note }
question-model-within = { $model } lo ve dentro de la tarea, seguro en { $score } de 100
question-model-wider = { $model } lo ve más amplio que la tarea, seguro en { $score } de 100
question-model-unclear = { $model } no lo sabe, seguro en { $score } de 100

choice-deny = denegar
choice-once = una vez
choice-session = sesión…
choice-always = siempre…
choice-deny-does = con el motivo
choice-once-by-word = solo esta vez; hay que teclear una palabra
choice-session-does = hasta que acabe la sesión; antes se muestra para qué
choice-always-does = escribe una regla; antes se muestra
choice-place = { $at } de { $count }
choice-back = volver
choice-keep = conservar el resultado
choice-write = escribir la regla y ejecutar la línea
choice-stop = denegar y terminar el agente

question-once-covers = solo esta vez: esta misma línea, en este directorio
question-for-session = Hasta que acabe la sesión de { $who }, permitir:
question-commands = { $rest } y { $last }
question-same = lo mismo
question-other-lines-too = { $commands }, también en otras líneas
question-only-this-line = solo esta misma línea
question-byte-for-byte = byte por byte, en { $place }
question-exactly = exactamente { $words }
question-more-things =
    { $count ->
        [one] 1 efecto más de esta línea
       *[other] { $count } efectos más de esta línea
    }
question-no-worse = nada peor que { $severity }
question-no-worse-and-only = nada peor que { $severity }, y nada más que:
question-any-package = instala paquetes del registro, sean cuales sean
question-same-inside = { $does }, y lo mismo con otros del espacio de trabajo
question-same-built = { $does }, y lo mismo con otros resultados de la compilación
question-same-temporary = { $does }, y lo mismo con otros de directorios temporales
question-rule = Esta regla se añadiría de forma permanente a las reglas propias:
question-no-rule = no se escribió ninguna regla: { $why }

key-more = más
key-choose = elegir
key-takes = aceptar
key-allows = permitir
key-edit = editar
key-deny-and-say = denegar y decir por qué
key-deny-and-end = denegar, terminar agente
key-denies-and-sends = denegar y enviar
key-try = probar
key-explain = explicar
key-back = volver
key-done = listo
key-new-line = línea nueva
key-scroll = desplazar
key-next-question = siguiente pregunta
key-closes = cerrar

question-type-word = Esto puede causar mucho daño. Para ejecutarlo, teclear { $word } y pulsar Intro:
question-deny-and-tell = Denegar, y decir a { $who }:
question-stop = Denegar y terminar { $who }: quien preguntó recibe SIGTERM y, a los 5 segundos, SIGKILL. Lo que no haya guardado se pierde.
question-edit = Editar la línea. Se juzga como cualquier otra antes de ejecutarse.
question-not-the-word = esa no es la palabra
question-nothing-to-run = no hay nada que ejecutar
question-nothing-changed = no se cambió nada

question-moment = un momento…
question-keys-held = un momento: las teclas aún no cuentan
question-keys-early = teclas pulsadas antes de poder leer, descartadas; un momento
question-keys-in-burst = teclas demasiado rápidas, descartadas; un momento y pulsar una
question-keys-for-nothing = eso se perdió: Esc cierra esto
question-key-too-fast = esa tecla llegó demasiado pronto tras el texto: pulsarla otra vez
question-key-unknown = esa tecla no hace nada aquí; un momento
question-pasted = lo pegado no es una respuesta; un momento
question-unseen = esta parte también cuenta: leerla y pulsar Intro otra vez
question-disturbed = otro programa escribió encima: se dibujó de nuevo, hay que releerlo
question-disturbing = otro programa escribió encima; un momento: las teclas no cuentan

question-trying = Se está probando donde no cambia nada: sin red, sin secretos, y lo que escribe se aparta.
question-not-tried = No se pudo probar: { $why }.
question-not-kept = No se puede conservar: { $why }. No se cambió nada.
trial-ended = Probado: { $how }. No se cambió nada.
trial-untried = No probado: { $what }.
trial-printed = Salida:
trial-nothing = No cambiaría nada en el espacio de trabajo.
trial-unreadable = No se puede leer lo que cambiaría: { $why }

answered-denied = denegado
answered-stopped = denegado, y el agente terminado
answered-denied-with = denegado, con el mensaje: { $message }
answered-once = permitido una vez
answered-session = permitido hasta que acabe la sesión, también en otras líneas
answered-session-line = esta misma línea, permitida hasta que acabe la sesión
answered-always = permitido para siempre
answered-edited = cambiado por esta línea: { $line }
answered-kept = llevado a cabo tal como se probó
short-denied = denegado
short-once = una vez
short-session = sesión
short-always = siempre
short-edited = editado
short-kept = conservado
