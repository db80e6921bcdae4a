#compdef dragoman
# Completion of dragoman's command line, for zsh.

_dragoman() {
    local line
    local -a proposed
    for line in "${(@f)$("${~words[1]}" __complete -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
        case $line in
            '') ;;
            :files) [[ $PREFIX == -*=* ]] && compset -P '*='; _files; return ;;
            :folders) [[ $PREFIX == -*=* ]] && compset -P '*='; _files -/; return ;;
            :commands) _command_names -e; return ;;
            *) proposed+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    _describe -t values 'dragoman' proposed
}

if [[ $funcstack[1] == _dragoman ]]; then
    _dragoman "$@"
else
    compdef _dragoman dragoman
fi
