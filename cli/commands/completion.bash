# Bash completion for platformctl: source <(platformctl completion bash)
# It needs no bash-completion package and works with the bash 3.2 of macOS.

_platformctl() {
  # Bash splits words at colons and equal signs, too. Here python:3.12 is one word.
  local rest=${COMP_LINE:0:COMP_POINT} words=() last=-1 index piece
  for ((index = 0; index <= COMP_CWORD; index++)); do
    piece=${COMP_WORDS[index]}
    if ((index == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      last=$((last + 1))
      words[last]=
    fi
    # Text after the cursor does not count.
    ((${#piece} > ${#rest})) && piece=$rest
    words[last]+=$piece
    rest=${rest#"$piece"}
  done

  local current=${words[last]} before=${words[last - 1]} line value
  # Bash inserts only what follows the last place where it splits a word.
  local kept=${current%"${COMP_WORDS[COMP_CWORD]}"}
  [[ ${COMP_WORDS[COMP_CWORD]} == [:=]* ]] && kept=$current
  COMPREPLY=()
  while IFS= read -r line; do
    value=${line%%$'\t'*}
    [[ $line == :* || -z $value || $value != "$current"* ]] && continue
    COMPREPLY+=("${value#"$kept"}")
    # The name of a tag follows.
    [[ $value == *: ]] && compopt -o nospace 2>/dev/null
  done < <(platformctl complete -- "${words[@]:1}" 2>/dev/null)

  if ((${#COMPREPLY[@]} == 0)); then
    case "${words[1]} $before" in
      import\ * | *\ --*file | *\ --config | *\ --state)
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
        ;;
    esac
  fi
}

complete -F _platformctl platformctl
