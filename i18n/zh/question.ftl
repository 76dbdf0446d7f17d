severity-low = 低
severity-medium = 中
severity-high = 高
severity-critical = 危急

question-asks = guarded-sh 询问
question-asked = guarded-sh 曾询问
question-program = 某个程序
question-place-gone = 已不存在的目录
question-seconds-left = 剩余 { $count } 秒
question-minutes-left = 剩余 { $count } 分钟
question-wants-to-run = { $who } 想在 { $place } 运行此行
question-who-where = { $who }（{ $place }）
question-nobody-waits = 已无人等待：允许将用于下一次尝试
question-session = 会话 { $session }
question-more-wait = 还有 { $count } 个在等待
question-too-small = guarded-sh 正在询问，但终端太小，无法显示内容：至少需要 { $columns }×{ $rows }。按 Escape 拒绝。
question-left-closed = 此问题已撤下：{ $why }。按 Esc 关闭。
question-left = 此问题已撤下：{ $why }。不再接受回答，按 Esc 之前的输入都会被丢弃。
question-is-answered = 已回答：{ $how }。
question-no-answer-needed = 不再需要回答

question-fence = 围栏
question-model = 模型
question-more-reasons = 还有 { $count } 条理由
question-safer = 更安全：{ $line }
question-not-held = 没有围栏
question-held-to-nothing = 允许后不受任何限制：{ $why }
question-held-with-tcp = 允许后可写入{ $writes }，并可使用 TCP
question-held-without-tcp = 允许后可写入{ $writes }，不可使用 TCP
question-anywhere = 任何位置
question-in-places =
    { $more ->
        [0] { " " }{ $places }
       *[other] { " " }{ $places } 等（另有 { $more } 处）
    }
question-no-opinion = 没有第二意见：{ $why }
question-model-notes = { $model } 备注：{ $note }
question-model-within = { $model } 认为在任务范围内，安全度 { $score }/100
question-model-wider = { $model } 认为超出任务范围，安全度 { $score }/100
question-model-unclear = { $model } 无法判断，安全度 { $score }/100

choice-deny = 拒绝
choice-once = 仅一次
choice-session = 会话…
choice-always = 始终…
choice-deny-does = 并说明原因
choice-once-by-word = 仅这一次；需要输入一个单词
choice-session-does = 直到会话结束；先显示范围
choice-always-does = 写入一条规则；先显示内容
choice-place = { $at }/{ $count }
choice-back = 返回
choice-keep = 采用其结果
choice-write = 写入规则并运行此行
choice-stop = 拒绝并结束代理

question-once-covers = 仅这一次：就是这一行，在此目录中
question-for-session = 在 { $who } 的会话结束之前，允许：
question-commands = { $rest } 和 { $last }
question-same = 同样的操作
question-other-lines-too = { $commands }，其他行中也允许
question-only-this-line = 仅限完全相同的这一行
question-byte-for-byte = 逐字节相同，在 { $place }
question-exactly = 仅限 { $words }
question-more-things = 此行还有 { $count } 项操作
question-no-worse = 严重程度不超过“{ $severity }”
question-no-worse-and-only = 严重程度不超过“{ $severity }”，且仅限：
question-any-package = 从软件源安装任意软件包
question-same-inside = { $does }，对工作区内的其他内容也一样
question-same-built = { $does }，对其他构建产物也一样
question-same-temporary = { $does }，对临时目录中的其他内容也一样
question-rule = 以下规则将永久写入自己的规则：
question-no-rule = 未写入规则：{ $why }

key-more = 更多
key-choose = 选择
key-takes = 确定
key-allows = 允许
key-edit = 编辑
key-deny-and-say = 拒绝并说明
key-deny-and-end = 拒绝并结束
key-denies-and-sends = 拒绝并发送
key-try = 试运行
key-explain = 解释
key-back = 返回
key-done = 完成
key-new-line = 换行
key-scroll = 滚动
key-next-question = 下一个问题
key-closes = 关闭

question-type-word = 这可能造成严重损害。要运行，请输入 { $word } 并按 Enter：
question-deny-and-tell = 拒绝，并告知 { $who }：
question-stop = 拒绝并结束 { $who }：向提问者发送 SIGTERM，5 秒后仍在则发送 SIGKILL。未保存的内容会丢失。
question-edit = 编辑此行。运行前会像其他行一样接受判定。
question-not-the-word = 单词不对
question-nothing-to-run = 没有可运行的内容
question-nothing-changed = 没有任何改动

question-moment = 请稍候…
question-keys-held = 请稍候：按键尚未生效
question-keys-early = 看清之前的按键已丢弃；请稍候
question-keys-in-burst = 按键过快，已丢弃；稍候再按一个键
question-keys-for-nothing = 输入已丢弃：按 Esc 关闭
question-key-too-fast = 该键在文字之后来得太快：请再按一次
question-key-unknown = 该键在此无效；请稍候
question-pasted = 粘贴的内容不算回答；请稍候
question-unseen = 这一部分也要确认：看过之后再按 Enter
question-disturbed = 其他程序覆盖了此处：已重新绘制，请重新阅读
question-disturbing = 其他程序覆盖了此处；请稍候：按键尚未生效

question-trying = 正在不会造成改动的环境中试运行：无网络，无机密，写入内容另行存放。
question-not-tried = 无法试运行：{ $why }。
question-not-kept = 无法采用结果：{ $why }。没有任何改动。
trial-ended = 试运行：{ $how }。没有任何改动。
trial-untried = 未试运行：{ $what }。
trial-printed = 输出：
trial-nothing = 工作区不会有任何改动。
trial-unreadable = 无法读取将要改动的内容：{ $why }

answered-denied = 已拒绝
answered-stopped = 已拒绝，代理已结束
answered-denied-with = 已拒绝，消息：{ $message }
answered-once = 已允许一次
answered-session = 会话结束前允许，其他行中也允许
answered-session-line = 会话结束前允许完全相同的这一行
answered-always = 已永久允许
answered-edited = 改为此行：{ $line }
answered-kept = 已按试运行执行
short-denied = 已拒绝
short-once = 一次
short-session = 会话
short-always = 始终
short-edited = 已修改
short-kept = 已采用
