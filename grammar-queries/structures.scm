; What a line is made of, counted. The tests compare these counts with those of the hand-written reader.

["&&" "||"] @chain
["|" "|&"] @pipe
(command_substitution) @substitution
(process_substitution) @process
[(file_redirect) (heredoc_redirect) (herestring_redirect)] @redirect
(command) @command
(subshell) @subshell
(function_definition) @function
