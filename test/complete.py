# complete.py SHELL FOLDER - what a shell completes, with the scripts of FOLDER/SHELL
#
# Standard input has command lines; for each a line is printed, the words that bash, zsh or fish would
# put in place of its last word, sorted, without the '=' or '/' that a word may end with.  bash and
# zsh run at a terminal and are asked by keys: one inserts all completions into the line, another
# writes the line into a pipe.  So their own readers of lines do the work, with their rules for quotes
# and for '='.
import os, pty, re, subprocess, sys, tempfile, threading

BASH = r"""
for f in {folder}/bash/*; do source "$f"; done
bind '"\C-x\C-e": insert-completions'
bind -x '"\C-x\C-p": printf "%s\n" "$READLINE_LINE" >{pipe}; READLINE_LINE='
"""
ZSH = r"""
fpath=({folder}/zsh $fpath)
autoload -U compinit && compinit -u -D
everything() {{ _main_complete "$@"; compstate[insert]=all compstate[list]= }}
tell() {{ print -r -- "$BUFFER" >{pipe}; BUFFER= }}
zle -C everything complete-word everything && zle -N tell
bindkey '^X^E' everything '^X^P' tell
"""
FISH = r"""
for f in {folder}/fish/*; source $f; end
for line in $argv; complete -C $line; echo @; end
"""


def drain(terminal):
    """read what the shell draws; the terminal fails when the shell has ended, which is too early"""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        os._exit(1)


def at_terminal(shell, folder, lines):
    """the words that bash or zsh inserts"""
    with tempfile.TemporaryDirectory() as work:
        start, pipe = work + "/.zshrc", work + "/pipe"
        os.mkfifo(pipe)
        with open(start, "w") as out:
            out.write((BASH if shell == "bash" else ZSH).format(folder=folder, pipe=pipe))
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="vt100", ZDOTDIR=work)
            if shell == "bash":
                os.execvp("bash", ["bash", "--noprofile", "--rcfile", start, "-i"])
            os.execvp("zsh", ["zsh", "-d", "-i"])
        threading.Thread(target=drain, args=(terminal,), daemon=True).start()
        # open for both, so that it does not end between two lines
        with open(os.open(pipe, os.O_RDWR)) as answers:
            for line in lines:
                os.write(terminal, line.encode() + b"\x18\x05\x18\x10")
                result = answers.readline().rstrip("\n")
                head = max(line.rfind(" "), line.rfind("=")) + 1
                assert result.startswith(line[:head]), (line, result)
                yield re.findall(r"(?:\\.|[^ ])+", result[head:]) if result != line else []


def of_fish(folder, lines):
    command = ["fish", "-N", "-c", FISH.format(folder=folder)] + lines
    answer = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    for words in answer.stdout.split("@\n")[: len(lines)]:
        yield [word.split("\t")[0].replace(" ", "\\ ") for word in words.splitlines()]


def main(shell, folder):
    lines = sys.stdin.read().splitlines()
    for words in of_fish(folder, lines) if shell == "fish" else at_terminal(shell, folder, lines):
        # zsh and fish repeat the name in front of '='
        print(*sorted({re.sub("^--[a-z-]+=(?=.)", "", word).rstrip("=/") for word in words}))


main(*sys.argv[1:])
