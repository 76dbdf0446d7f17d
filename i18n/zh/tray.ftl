tray-idle = 没有待答的问题
tray-waiting = { $count } 个问题等待回答
tray-more = 还有 { $count } 个问题
tray-open = 打开页面
tray-pause-minutes = 暂停 15 分钟
tray-pause-hour = 暂停一小时
tray-go-on = 继续
tray-quit = 退出图标
tray-failed = 无法打开页面：{ $why }

pause-begun = 暂停 { $time }：不再通知问题，问题会等待；`guarded-sh pause off` 结束暂停
pause-over = 未暂停：会通知问题
pause-stands = 已暂停，还剩 { $time }
