#compdef PROGRAM
# completions for zsh, by PROGRAM --completion=zsh

# -A: options end at the first name, unless a word comes before them
setopt localoptions extendedglob
local names kind value others phrase action name
local -a words_of_value arguments=(-A '-*')

while IFS='|' read -r names kind value others phrase; do
	if [[ -z $names ]]; then
		words_of_value+=("$kind${phrase:+\\:${phrase//(#m)[^[:alnum:]._-]/\\$MATCH}}")
		continue
	fi
	phrase=${phrase//(#m)[]:\[\\]/\\$MATCH}
	# a value in brackets may be left out
	action=:${value//[][]/}:
	[[ $value != \[* ]] || action=:$action
	case $kind in
	none) action= ;;
	free) action+=' ' ;;
	file) action+=_files ;;
	folder) action+='_files -/' ;;
	words) action+="(($words_of_value))" ;;
	esac
	case $names in
	first) arguments[1,2]=("1:$value:($words_of_value)") ;;
	*CLASS) arguments+=("*${names%CLASS}-:class: $action") ;;
	*)
		for name in ${=names}; do
			# the value of a long option is the next word, or follows '='
			[[ $name != --* || $kind == none ]] || name+='='
			arguments+=("($names${others:+ $others})$name""[$phrase]$action")
		done
		;;
	esac
	words_of_value=()
done <<'TABLE'
OPTIONS
TABLE

_arguments $arguments '*:file:_files'
