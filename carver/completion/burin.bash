# SPDX-License-Identifier: Apache-2.0
# carver/completion/burin.bash - completion for bash, behind the table that `burin completion bash` prints before it.

# The words that a value of this option can be, a line each: those for an option that takes a comma-separated list behind the words
# that are there already.
_burin_values() {
    local program=$1 option=$2
    case $option in
    --types | -t)
        echo all
        "$program" info --types | cut -f 1,4,10,12 | tr '\t,' '\n' | grep -v '^-$' | sort -u
        ;;
    --engine | --engines)
        echo auto
        "$program" info --engines | awk -F '\t' 'NF > 1 && $3 == "yes" { print $1 }'
        ;;
    --devices)
        printf '%s\n' auto none all
        "$program" info --devices | sed -nE 's/^cuda([0-9]+)\t.*/\1/p'
        ;;
    --image-type)
        echo auto
        "$program" info --images | cut -f 4 | grep -v '^-$' | sort -u
        ;;
    esac 2>/dev/null
}

# Leaves COMPREPLY empty where bash is to complete names of files itself.
_burin() {
    local program=${1/#\~/$HOME} line=${COMP_LINE:0:COMP_POINT} cur at=burin option='' value='' head='' list word before kind
    local -a words depth
    COMPREPLY=()
    cur=${line##*[[:space:]]}
    read -ra words <<<"${line%"$cur"}"
    for word in "${words[@]:1}"; do
        [[ $word == help && $at == burin ]] && { words=("${words[@]:1}"); continue; }
        [[ $_burin_table == *$'\n'"$at $word"$'\t'* ]] && at+=" $word"
    done
    read -ra depth <<<"$at"

    if [[ $cur == --*=* ]]; then
        option=${cur%%=*} cur=${cur#*=}
    elif ((${#words[@]} > 1)) && [[ ${words[-1]} == -* ]]; then
        option=${words[-1]}
    fi
    if [[ -n $option ]]; then
        while IFS=$'\t' read -r before word kind _; do
            [[ $before == "$at" && $word == "$option" && $kind != - ]] && value=$kind
        done <<<"$_burin_table"
    fi

    if [[ -n $value ]]; then
        list=$(_burin_values "$program" "$option")
        case $option in --types | -t | --engines | --devices) [[ $cur == *,* ]] && head=${cur%,*}, ;; esac
        if [[ -z $list ]]; then
            case $value in
            FILE | PATH | SET) return ;;
            DIR) compopt +o default -o dirnames 2>/dev/null ;;
            *) compopt +o default 2>/dev/null ;;
            esac
            return
        fi
    else
        list=$(while IFS=$'\t' read -r before word kind _; do
            [[ $before == "$at" && ($cur == -* && $word == -* || $cur != -* && $word != -*) ]] && echo "$word"
        done <<<"$_burin_table")
        [[ $cur != -* && ${#depth[@]} -ne ${#words[@]} ]] && list=''
        [[ -z $list && $cur != -* ]] && return
    fi
    compopt +o default 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$list" -- "${cur#"$head"}")
    # bash takes a colon for the end of a word: what stands before it is not to be repeated.
    if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%:*}:"}")
    fi
}
complete -o default -F _burin burin
