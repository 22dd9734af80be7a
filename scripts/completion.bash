# completions for bash, by PROGRAM --completion=bash

# The words before the cursor are followed as the program does: 'value' is what the next word is as
# the value of an option, or empty.  `--name=VALUE` comes as three words.  A value that begins with
# '-' is no file.  Names of files are left to readline, which quotes them as need be.
_FUNCTION()
{
	local current=${COMP_WORDS[COMP_CWORD]} IFS=$' \t\n'
	local options='' words='' value='' named='' names kind name word i
	local -A takes=()

	while IFS='|' read -r names kind word; do
		case $names:$kind in
		:*) words+=" $kind" && continue ;;
		*:words) kind=$words ;;
		*:none) kind='' ;;
		*) kind=@$kind ;;
		esac
		words=''
		for name in $names; do
			takes[$name]=$kind
			[[ $name = first || $name = *CLASS ]] || options+=" $name"
		done
	done <<'TABLE'
OPTIONS
TABLE

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $value && $word = '=' ]]; then
			continue
		elif [[ $value && ! ($value = @file && $word = -?*) ]]; then
			value=''
		elif [[ $word = -?* ]]; then
			value=${takes[$word]-${takes[${word:0:2}CLASS]-}}
		elif [[ $i != 1 || ! ${takes[first]-} ]]; then
			named=yes
		fi
	done
	[[ $value && $current = '=' ]] && current=''
	case $value in
	@free) ;;
	@file) compopt -o default ;;
	@folder) compopt -o dirnames ;;
	?*) words=$value ;;
	*)
		if [[ $COMP_CWORD = 1 && ${takes[first]-} ]]; then
			words=${takes[first]-}
		elif [[ $current = -* && ! $named ]]; then
			words=$options
		else
			compopt -o default
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _FUNCTION PROGRAM
