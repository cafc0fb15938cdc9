#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/man.sh PAGE BURIN FOLDER DOCUMENTS - the pages that are installed: burin.1 of PAGE without its sections of commands, which become
# burin-COMMAND.1 each. What a command is for in one line is the text of BURIN --help. Pages of docs/reference/ are, where these are
# installed, below DOCUMENTS.
set -euo pipefail
export LC_ALL=C
page=$1 burin=$2 folder=$3 documents=$4
mkdir -p "$folder"
"$burin" --help | awk '
    # Lines of the list of commands, as the program tells them.
    FNR == NR { if (/^Commands:/) listed = 1; else if (/^$/) listed = 0
                      else if (listed) { word = $1; sub(/^ +[^ ]+ +/, ""); what[word] = $0 }
                      next }
    function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
    function see(also) { print ".SH \"SEE ALSO\"\n.BR burin (1)" also > out; close(out) }
    function begin(name) {
        out = folder "/burin-" name ".1"
        title = head; sub(/^\.TH BURIN/, ".TH BURIN\\-" toupper(name), title)
        print title "\n.SH NAME\nburin\\-" name " \\- " roff(what[name]) "\n.SH SYNOPSIS\n" synopsis[name] ".SH DESCRIPTION" > out
        list = list ".TP\n.BR burin\\-" name " (1)\n" toupper(substr(roff(what[name]), 1, 1)) substr(roff(what[name]), 2) ".\n"
    }
    FNR == 1 { head = $0; whole = folder "/burin.1" }
    # Its form in the synopsis: from the line that names it to the next .br; several for one that has several.
    /^\.SH SYNOPSIS/ { forms = 1; form = "" }
    /^\.SH DESCRIPTION/ { forms = 0 }
    forms && /^\.B burin [a-z]/ { form = $3 }
    forms && form != "" { if (/^\.br/) form = ""
                          else synopsis[form] = synopsis[form] (/^\.B burin / && synopsis[form] != "" ? ".br\n" : "") $0 "\n" }
    /^\.SH/ {
        if (name != "") { see(",\nwhich has NOTES, EXAMPLES and the EXIT STATUS of all commands"); name = "" }
        if (match($0, /^\.SH "BURIN [A-Z]+"$/)) {
            name = tolower(substr($0, 12, length($0) - 12))
            if (!(name in what)) { print "man.sh: burin --help has no command " name > "/dev/stderr"; exit 1 }
            begin(name)
            next
        }
        if (list != "") { print ".SH COMMANDS\n" list > whole; list = "" }
    }
    { gsub(/docs\/reference\//, documents "/reference/") }
    { if (name != "") print > out; else print > whole }
' folder="$folder" documents="$documents" - "$page"
