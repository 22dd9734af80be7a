# completions for fish, by PROGRAM --completion=fish

set -l words
echo -n 'OPTIONS
' | while read -l -d '|' names kind value others phrase
    if test -z "$names"
        test -n "$phrase"; and set phrase \t$phrase
        set -a words (string escape --no-quoted -- $kind$phrase)
        continue
    end
    set -l option
    for name in (string split ' ' -- $names)
        switch $name
            case first
                set -a option -n __fish_is_first_token
            case '*CLASS'
            case '--*'
                set -a option -l (string sub -s 3 -- $name)
            case '-?'
                set -a option -s (string sub -s 2 -- $name)
            case '*'
                set -a option -o (string sub -s 2 -- $name)
        end
    end
    switch $kind
        case free
            set -a option -x
        case file
            set -a option -r -F
        case folder
            # fish 3.6 takes the name in --name=FOLDER for a part of the folder
            set -a option -x -a '(__fish_complete_directories (string replace -r "^--[^=]*=" "" -- (commandline -ct)))'
        case words
            set -a option -x -a "$words"
    end
    if not string match -q -- '*CLASS' $names
        complete -c PROGRAM $option -d "$phrase"
    end
    set words
end
