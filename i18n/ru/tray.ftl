pause-begun = пауза на { $time }: о вопросах не сообщается, они ждут; `guarded-sh pause off` её завершает
pause-over = паузы нет: о вопросах сообщается
pause-stands = пауза, осталось { $time }
