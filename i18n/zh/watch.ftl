short-waits = 等待中
short-waits-for = 剩余 { $time }
short-left = 已离开
short-seconds = { $count }秒
short-minutes = { $count }分
short-hours = { $count }时

watch-open = 未答 { $count }
watch-history = 历史 { $count }
watch-waiting = { $waiting } 个等待 · { $hosts } 个主机
watch-no-history = 最近没有回答
watch-no-host = 没有运行中的主机：`guarded-sh serve` 和每个 `guarded-sh run` 都是主机
watch-no-questions = 没有等待中的问题
watch-shows-all = 按 Enter 显示全部
watch-gone = （已不存在）
watch-why-where = { $why }（{ $place }）
watch-too-small = { $open } 个未答；终端至少需要 { $columns }×{ $rows }
watch-not-all = 未显示全部：{ $why }
watch-keys-in-burst = 按键过快，已丢弃；请按一个键
watch-asker-ended = 请求方或其主机已结束
watch-host-ended = 主机已结束
watch-not-taken = 回答未被接受：{ $why }

watch-foot-open = Enter 打开 · d 拒绝 · h 历史 · ? 帮助 · q 退出
watch-foot-none-open = h 历史 · ? 帮助 · q 退出
watch-foot-history = Enter 打开 · Esc 返回 · ? 帮助 · q 退出
watch-foot-no-history = Esc 返回 · ? 帮助 · q 退出
watch-foot-help = 按任意键返回
watch-help-choose = 选择问题；PgUp PgDn Home End 移动更远
watch-help-open = 打开：全部说明和所有回答
watch-help-deny = 立即拒绝
watch-help-history = 最近的回答，以及返回
watch-help-quit = 退出；问题保持未答

answer-permitted-once = 已允许一次：{ $line }
answer-permitted-session = 本会话内已允许：{ $line }
answer-permitted-line = 本会话内仅允许此处的这一行：{ $line }
answer-denied = 已拒绝：{ $line }
answer-stopped = 已拒绝，代理将结束：{ $line }
answer-critical-once = 此行为危急：允许仅这一次有效
answer-not-permitted = 未允许；问题保持未答
answer-type-word = 输入 `{ $word }` 运行一次，输入其他内容则不运行：
answer-no-such = 没有编号为 { $id } 的未答问题
answer-lists = guarded-sh pending 可列出它们

run-cannot-show = { $who } 想运行 '{ $line }'，但此终端无法显示问题（TERM）：请在另一个终端用 `guarded-sh watch` 回答
run-gave-up = 请求方已不再等待
run-answered-elsewhere = 已在别处回答：{ $how }
run-needs-none = 请求方已结束，或不再需要回答
run-ended = 请求方已结束

notice-asks = guarded-sh 询问：{ $severity }（{ $id }）
notice-warns = guarded-sh 警告
notice-open = 打开

practice-wanted = 要看一个练习问题吗？无论怎样回答都不会运行任何内容。
practice-said = 回答：{ $how }
practice-left = 未作回答：真实的问题会保持未答，其代理暂时被拒绝
