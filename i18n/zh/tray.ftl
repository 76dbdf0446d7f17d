pause-begun = 暂停 { $time }：不再通知问题，问题会等待；`guarded-sh pause off` 结束暂停
pause-over = 未暂停：会通知问题
pause-stands = 已暂停，还剩 { $time }
