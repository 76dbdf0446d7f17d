short-waits = ждёт
short-waits-for = ждёт { $time }
short-left = ушёл
short-seconds = { $count }с
short-minutes = { $count }м
short-hours = { $count }ч

watch-open = открыто { $count }
watch-history = история { $count }
watch-waiting =
    { $hosts ->
        [one] ждут: { $waiting } · { $hosts } хост
        [few] ждут: { $waiting } · { $hosts } хоста
       *[many] ждут: { $waiting } · { $hosts } хостов
    }
watch-no-history = в последнее время ответов не было
watch-no-host = нет ни одного хоста: им служит `guarded-sh serve` и каждый `guarded-sh run`
watch-no-questions = вопросов нет
watch-shows-all = Enter покажет всё
watch-gone = (нет)
watch-why-where = { $why } (в { $place })
watch-too-small = открыто { $open }; нужно { $columns } на { $rows }
watch-not-all = показаны не все: { $why }
watch-keys-in-burst = набрано слишком быстро и отброшено; нажать одну клавишу
watch-asker-ended = спросивший или его хост завершился
watch-host-ended = хост завершился
watch-not-taken = ответ не принят: { $why }

watch-foot-open = Enter открыть · d отклонить · h история · ? справка · q выход
watch-foot-none-open = h история · ? справка · q выход
watch-foot-history = Enter открыть · Esc назад · ? справка · q выход
watch-foot-no-history = Esc назад · ? справка · q выход
watch-foot-help = любая клавиша возвращает назад
watch-help-choose = выбрать вопрос; PgUp PgDn Home End двигают дальше
watch-help-open = открыть: всё, что о нём известно, и все ответы
watch-help-deny = сразу отклонить
watch-help-history = недавние ответы и обратно
watch-help-quit = выйти; вопросы остаются открытыми

answer-permitted-once = разрешено один раз: { $line }
answer-permitted-session = разрешено на сеанс: { $line }
answer-permitted-line = разрешена на сеанс именно эта строка: { $line }
answer-denied = отклонено: { $line }
answer-stopped = отклонено, агент завершается: { $line }
answer-critical-once = опасность крайняя: «да» действует только один раз
answer-not-permitted = не разрешено; вопрос остаётся открытым
answer-type-word = Набрать `{ $word }`, чтобы выполнить один раз, что угодно другое, чтобы оставить:
answer-no-such = нет открытого вопроса с номером { $id }
answer-lists = их список выводит guarded-sh pending

run-cannot-show = { $who } хочет выполнить '{ $line }', а этот терминал не может показать вопрос (TERM): ответить в другом через `guarded-sh watch`
run-gave-up = спросивший больше не ждёт
run-answered-elsewhere = ответ дан в другом месте: { $how }
run-needs-none = спросивший завершился, или ответ ему больше не нужен
run-ended = спросивший завершился

notice-asks = guarded-sh спрашивает: { $severity } ({ $id })
notice-warns = guarded-sh предупреждает
notice-open = Открыть

practice-wanted = Пробный вопрос? При любом ответе ничего не выполняется.
practice-said = ответ: { $how }
practice-left = оставлен открытым: настоящий остался бы открытым, а его агенту пока было бы отказано
