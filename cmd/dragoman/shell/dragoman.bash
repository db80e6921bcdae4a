# Completion of dragoman's command line, for bash.

_dragoman() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words word kept reply _
    read -r -a words <<<"$line"
    case $line in
    *[[:space:]]) words+=("") ;;
    esac
    word=${words[${#words[@]}-1]}
    kept=${word%"${word##*[=:]}"} # bash completes what is behind it
    COMPREPLY=()
    while IFS=$'\t' read -r reply _; do
        IFS=$'\n'
        case $reply in
        :files) COMPREPLY=($(compgen -f -- "${word#"$kept"}")) && compopt -o filenames 2>/dev/null ;;
        :folders) COMPREPLY=($(compgen -d -- "${word#"$kept"}")) && compopt -o filenames 2>/dev/null ;;
        :commands) COMPREPLY=($(compgen -c -- "$word")) ;;
        *) COMPREPLY+=("${reply#"$kept"}") ;;
        esac
    done < <("${1/#\~/$HOME}" __complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _dragoman dragoman
