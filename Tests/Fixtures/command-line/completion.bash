# bash completion for bell: source <(bell completion bash)
_bell() {
    local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" first="" second="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
            --config|-c|--output|-o|--storage|--timeout|--limit|-n|--app|--tag) ((i++)) ;;
            -*) ;;
            *) if [ -z "$first" ]; then first="${COMP_WORDS[i]}"
               elif [ -z "$second" ]; then second="${COMP_WORDS[i]}"; fi ;;
        esac
    done
    COMPREPLY=()
    case "$previous" in
        --config|-c) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json wide" -- "$word")); return ;;
        --storage) COMPREPLY=($(compgen -W "none latest" -- "$word")); return ;;
        --timeout) :; return ;;
        --limit|-n) :; return ;;
        --app) :; return ;;
        --tag) :; return ;;
    esac
    case "$first" in
        "") COMPREPLY=($(compgen -W "channel publish help --config --output --no-color" -- "$word")); return ;;
        channel) if [ -z "$second" ]; then COMPREPLY=($(compgen -W "create list" -- "$word")); return; fi ;;
    esac
    case "$first $second" in
        "channel create") COMPREPLY=($(compgen -W "--storage --timeout --config --output --no-color --help" -- "$word")) ;;
        "channel list") COMPREPLY=($(compgen -W "--limit --config --output --no-color --help" -- "$word")) ;;
        "publish "*) COMPREPLY=($(compgen -f -W "--app --tag --important --quiet --config --output --no-color --help" -- "$word")) ;;
    esac
}
complete -F _bell bell
