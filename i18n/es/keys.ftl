enter-title = Abrir la página
enter-unknown = Este navegador no se conoce aquí, o ya no.
enter-how = La página se abre con un código que se da donde se inició: `guarded-sh page` lo muestra, y otro cada vez que se pulsa Intro allí.
enter-code = Código
enter-open = Abrir
enter-no-script = Sin JavaScript se puede mirar, pero no responder: las respuestas se firman con una clave que se queda en el navegador.
enter-used = Este código ya se usó o es demasiado antiguo: obtener otro donde se inició la página.
enter-no-key = Lo que llegó no es una clave pública (P-256, sin comprimir).

codes-page = La página está en
codes-passkey = Una llave de acceso se registra en
codes-elsewhere = y desde otros lugares en
codes-once = El código que contiene vale una vez, durante { $minutes } minutos. Intro da otro, `passkey` uno para registrar una llave de acceso, Ctrl-C termina.

keys-title = Llaves de acceso
keys-for = Un sí a lo grave puede exigir el toque de una llave de acceso: `page.passkey` es `{ $needed }`. Lo que maneja este navegador sin la persona no puede tocarla.
keys-count =
    { $count ->
        [0] No hay ninguna registrada para `{ $host }`.
        [one] Hay una registrada para `{ $host }`.
       *[other] Hay { $count } registradas para `{ $host }`.
    }
keys-host = Dirección
keys-made = Registrada
keys-used = Último uso
keys-last = Es la última para `{ $host }`. Una vez quitada, allí se deniega lo que exige una llave de acceso hasta que se registre otra.
keys-remove = Quitar
keys-removed = Se quitó la llave de acceso { $name }.
keys-removed-last = Se quitó la llave de acceso { $name }. Era la última para { $host }: allí se deniega lo que exige una llave de acceso hasta que se registre otra.
keys-gone = No existe esa llave de acceso.
keys-elsewhere = Las llaves de acceso se quitan en la propia máquina.
keys-new = Una nueva necesita un código de donde se inició la página: escribir allí `passkey` e Intro.
keys-register = Registrar una llave de acceso
keys-registered = Está registrada.
keys-not-registered = No registrada
keys-no-script = Las llaves de acceso necesitan JavaScript.
keys-looks = Desde aquí no se responde a nada.

keys-none = esto exige una llave de acceso, y no hay ninguna registrada para esta dirección
keys-untouched = esto exige el toque de una llave de acceso
keys-strange = esta llave de acceso no está registrada aquí
keys-client = lo que el navegador dice de la llave de acceso no encaja: { $why }
keys-authenticator = lo que dice la llave de acceso no encaja: { $why }
keys-signature = no está firmado con la clave de esta llave de acceso
keys-counter = el contador de esta llave de acceso retrocedió: puede haber una copia
keys-full = no se guardan más llaves de acceso: quitar una
keys-unkept = las llaves de acceso no se pueden guardar: { $why }
