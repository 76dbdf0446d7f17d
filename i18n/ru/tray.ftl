tray-idle = вопросов нет
tray-waiting =
    { $count ->
        [one] { $count } вопрос ждёт
        [few] { $count } вопроса ждут
       *[other] { $count } вопросов ждут
    }
tray-more = ещё вопросов: { $count }
tray-open = Открыть страницу
tray-pause-minutes = Пауза на 15 минут
tray-pause-hour = Пауза на час
tray-go-on = Продолжить
tray-quit = Закрыть значок
tray-failed = страница не открывается: { $why }

pause-begun = пауза на { $time }: о вопросах не сообщается, они ждут; `guarded-sh pause off` её завершает
pause-over = паузы нет: о вопросах сообщается
pause-stands = пауза, осталось { $time }
