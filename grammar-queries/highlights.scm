; Colours of a command line in `explain` and in questions. Later patterns win over earlier ones.
; The names of the captures are those of `HighlightKind`.

(word) @argument
((word) @option (#match? @option "^[-+]"))

(command_name) @command
(function_definition name: (word) @command)

[(string) (raw_string) (ansi_c_string) (translated_string) (heredoc_content) (heredoc_body)] @string
[(heredoc_start) (heredoc_end)] @operator
(regex) @string

[(number) (file_descriptor)] @number

[(simple_expansion) (expansion) (variable_name) (special_variable_name) (subscript)] @variable

(command_substitution ["$(" "`" ")"] @operator)
(process_substitution) @operator

["if" "then" "elif" "else" "fi" "for" "select" "in" "while" "until" "do" "done" "case" "esac" "function"] @keyword
["declare" "typeset" "export" "readonly" "local" "unset" "unsetenv"] @command

["|" "|&" "&&" "||" ";" ";;" "&" "!"] @operator
["<" ">" ">>" "<&" ">&" "&>" "&>>" ">|" "<<" "<<-" "<<<"] @redirect

(comment) @comment
