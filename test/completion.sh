# Completions in bash, zsh and fish: all options of --help, and after an option what it accepts.

need python3

programs='randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen svm-convert'
mkdir folder bash zsh fish data
touch data/'my data'
mkdir data/folder
for program in $programs; do
	"$program" --completion=bash >"bash/$program"
	"$program" --completion=zsh >"zsh/_$program"
	"$program" --completion=fish >"fish/$program.fish"
done

# begin PROGRAM: the words before its first option
begin() { if [ "$1" = svm-gen ]; then echo 'svm-gen text'; else echo "$1"; fi; }

# listed PROGRAM: a line for each option of --help: its names without the value, a tab, the name of its value
listed()
{
	"$1" --help | sed -n -E 's/^  (-[^ ,]*(, --?[^ ]*)?)( ([^ ]+))?(  .*|$)/\1\t\4/p' | sed 's/^\(-.\), /\1 /; s/^-wi/-w/'
}

# items PROGRAM OPTION: the numbers that --help lists for an option
items()
{
	"$1" --help | awk -v option="$2" '/^  -/ { on = $1 == option } on && $2 == "--" { print $1 }'
}

# accepted PROGRAM OPTION VALUE: what the program accepts, by what it says of '@' and by --help
accepted()
{
	local said
	said=$(cd folder && $(begin "$1") "$2" @ 2>&1 </dev/null)
	case $3 in
	*[,/]*) return ;;
	weight) "$1" --help | grep -q -e '-w auto' && echo auto; return ;;
	esac
	case $said in
	*"$2: expected one of"*) echo "$said" | sed 's/.*expected one of//; s/;.*//' ;;
	*"$2: expected"*) items "$1" "$2" ;;
	*) if [ "$3" = DIR ]; then echo folder; else echo 'folder my\ data'; fi ;;
	esac
}

# one line of words, sorted
words() { sed 's/\\ /_/g' | tr -s ' \t' '\n' | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//; s/_/\\ /g'; }

# ask LINE EXPECTED: a question to all shells
ask()
{
	printf '%s\n' "$1" >>questions
	printf '%s\n' "$2" >>answers
}

for program in $programs; do
	ask "$(begin "$program") -" "$(listed "$program" | cut -f 1 | words)"
	while IFS=$'\t' read -r names value; do
		[ "$value" ] || continue
		for option in $names; do
			ask "$(begin "$program") $option " "$(accepted "$program" "$option" "$value" | words)"
		done
	done <<<"$(listed "$program")"
done

ask 'fs-select -m approx' 'approx-bss approx-leverage'
ask 'fs-select --method=approx' 'approx-bss approx-leverage'
ask 'fs-select --rows=' 'all sv'
ask 'fs-select --spill=' 'folder'
ask 'fs-select --save m' 'my\ data'
ask 'fs-select -k 3 ' 'folder my\ data'
ask 'fs-select --rows all m' 'my\ data'
ask 'randsvm-train -g -1 --mod' '--mode --model-format'
ask 'randsvm-train -w1 2 -w -1 --mod' '--mode --model-format'
ask 'randsvm-grid -log' '-log2c -log2g -log2n -log2p'
ask 'randsvm-grid -log2c -5,1,1 -log2g ' ''
ask 'randsvm-grid -resume -out f' 'folder'
ask 'svm-gen ' 'checkerboard friedman relevant ringnorm separable text twonorm'
ask 'svm-gen r' 'relevant ringnorm'
ask 'svm-gen ringnorm --variant ' 'breiman printed'
ask 'svm-gen ringnorm -n 5 m' 'my\ data'

# the table that the scripts have in them: what --help lists, in its order
for program in $programs; do
	ok "the table of $program" \
		"diff <(listed $program | cut -f 1) <($program --completion=table | grep '^-' | grep -v '^-.CLASS' | cut -d '|' -f 1)"
done
if command -v shellcheck >/dev/null; then
	ok 'shellcheck of scripts for bash'     'shellcheck -s bash bash/*'
else
	skip 'shellcheck is not installed'
fi

ok 'bash as a POSIX shell' 'for f in bash/*; do bash --posix -c ". $f" || exit; done'
# completed SHELL: every question is answered as it is to be
completed()
{
	(cd data && python3 "$TOP/test/complete.py" "$1" ..) <questions >completed || return
	paste -d '|' questions answers completed | awk -F '|' '$2 != $3 { print; bad = 1 } END { exit bad || NR < 100 }'
}
for shell in bash zsh fish; do
	if command -v $shell >/dev/null; then
		ok "completions in $shell"              completed $shell
	else
		skip "$shell is not installed"
	fi
done

command -v fish >/dev/null && ok 'no tab where fish has no text to show' \
	'fish -c "source fish/randsvm-train.fish; complete -C \"randsvm-train --loss \"" >shown && grep . shown && ! grep "[[:space:]]$" shown'

# behind the first file name, and behind -w1, fish offers more
ask 'fs-select folder -' ''
ask 'randsvm-train -w1 ' ''
for shell in bash zsh; do
	command -v $shell >/dev/null && ok "what does not follow, in $shell"  completed $shell
done

fail 1 "--completion: expected bash, zsh, fish or table, got 'csh'"   svm-gen --completion=csh
fail 1 'Unknown option: --completion'                          svm-gen --completion
fail 1 "--shard: expected I/N, got '-q'"                       randsvm-grid --shard -q a
