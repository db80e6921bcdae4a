# Completion of dragoman's command line, for fish.

function __dragoman_propose
    set -l before (commandline -opc)
    set -l last (commandline -ct)
    set -l flag (string match -r -- '^-[^=]*=' $last; or echo '') # before a value in the same word
    for line in ($before[1] __complete -- $before[2..-1] $last 2>/dev/null)
        switch $line
            case :files
                printf '%s\n' $flag(__fish_complete_path (string replace -- "$flag" '' $last))
            case :folders
                printf '%s\n' $flag(__fish_complete_directories (string replace -- "$flag" '' $last) '')
            case :commands
                complete -C "$last"
            case '*'
                echo $line
        end
    end
end

complete -c dragoman -f -a '(__dragoman_propose)'
