# SPDX-License-Identifier: Apache-2.0
# carver/completion/burin.zsh - completion for zsh, behind the table that `burin completion zsh` prints before it.

# The words that a value of this option can be, a line each.
_burin_values() {
    local program=$1 option=$2
    case $option in
    --types | -t)
        echo all
        $program info --types | cut -f 1,4,10,12 | tr '\t,' '\n' | grep -v '^-$' | sort -u
        ;;
    --engine | --engines)
        echo auto
        $program info --engines | awk -F '\t' 'NF > 1 && $3 == "yes" { print $1 }'
        ;;
    --devices)
        printf '%s\n' auto none all
        $program info --devices | sed -nE 's/^cuda([0-9]+)\t.*/\1/p'
        ;;
    --image-type)
        echo auto
        $program info --images | cut -f 4 | grep -v '^-$' | sort -u
        ;;
    esac 2>/dev/null
}

_burin() {
    local program=${~words[1]} cur=$PREFIX at=burin option= value= word line
    integer depth
    local -a before row found list
    before=(${words[2,CURRENT-1]})
    [[ $before[1] == help ]] && shift before
    for word in $before; do
        [[ $_burin_table == *$'\n'"$at $word"$'\t'* ]] && at+=" $word" && depth+=1
    done

    if [[ $cur == --*=* ]]; then
        option=${cur%%=*}
        compset -P '*='
    elif [[ $before[-1] == -* ]]; then
        option=$before[-1]
    fi
    for line in ${(f)_burin_table}; do
        row=("${(@ps:\t:)line}")
        [[ $row[1] == "$at" ]] || continue
        [[ -n $option && $row[2] == "$option" && $row[3] != - ]] && value=$row[3]
        if [[ $cur == -* && $row[2] == -* || $cur != -* && $row[2] != -* && $depth -eq ${#before} ]]; then
            found+=("${row[2]//:/\\:}:$row[4]")
        fi
    done

    if [[ -n $value ]]; then
        list=(${(f)"$(_burin_values $program $option)"})
        case $option in --types | -t | --engines | --devices) compset -P '*,' ;; esac
        if (($#list)); then
            compadd -a list
        else
            case $value in
            FILE | PATH | SET) _files ;;
            DIR) _files -/ ;;
            *) _message "$value" ;;
            esac
        fi
    elif (($#found)); then
        if [[ $cur == -* ]]; then
            _describe -o option found
        else
            _describe word found
        fi
    else
        _files
    fi
}

if [[ $funcstack[1] == _burin ]]; then
    _burin "$@"
else
    compdef _burin burin
fi
