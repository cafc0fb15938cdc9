# SPDX-License-Identifier: Apache-2.0
# carver/completion/burin.fish - completion for fish, behind the table that `burin completion fish` prints before it.

# The words that a value of this option can be, a line each.
function __burin_values -a program option
    switch $option
        case --types -t
            echo all
            $program info --types 2>/dev/null | cut -f 1,4,10,12 | tr '\t,' '\n' | string match -v -- - | sort -u
        case --engine --engines
            echo auto
            $program info --engines 2>/dev/null | awk -F '\t' 'NF > 1 && $3 == "yes" { print $1 }'
        case --devices
            printf '%s\n' auto none all
            $program info --devices 2>/dev/null | string replace -rf '^cuda([0-9]+)\t.*' '$1'
        case --image-type
            echo auto
            $program info --images 2>/dev/null | cut -f 4 | string match -v -- - | sort -u
    end
end

function __burin_complete
    set -l before (commandline -opc)
    set -l cur (commandline -ct)
    set -l program $before[1]
    set -e before[1]
    test "$before[1]" = help; and set -e before[1]
    set -l lines (string split \n -- $_burin_table)
    set -l at burin
    set -l depth 0
    for word in $before
        if string match -q -- "$at $word"\t'*' $lines
            set at "$at $word"
            set depth (math $depth + 1)
        end
    end

    set -l option
    set -l head ''
    if string match -q -- '--*=*' $cur
        set option (string replace -r '=.*' '' -- $cur)
        set head "$option="
        set cur (string replace -r '^[^=]*=' '' -- $cur)
    else if string match -q -- '-*' $before[-1]
        set option $before[-1]
    end
    set -l value
    set -l found
    for line in $lines
        set -l row (string split \t -- $line)
        test "$row[1]" = "$at"; or continue
        test "$row[2]" = "$option"; and test "$row[3]" != -; and set value $row[3]
        if string match -q -- '-*' $cur
            string match -q -- '-*' $row[2]; and set -a found $row[2]\t$row[4]
        else if test (count $before) -eq $depth
            string match -q -- '-*' $row[2]; or set -a found $row[2]\t$row[4]
        end
    end

    if test -n "$value"
        set -l list (__burin_values $program $option)
        if set -q list[1]
            if contains -- $option --types -t --engines --devices; and string match -q -- '*,*' $cur
                set head $head(string replace -r '[^,]*$' '' -- $cur)
            end
            printf '%s\n' $head$list
        else if contains -- $value FILE PATH SET
            printf '%s\n' $head(__fish_complete_path $cur)
        else if test "$value" = DIR
            printf '%s\n' $head(__fish_complete_directories $cur)
        end
    else if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $cur
    end
end
complete -c burin -f -a '(__burin_complete)'
