# Data in several files, as Spark and Hadoop leave them: @parts, or their names one after the other.

. "$TOP/test/helpers.bash"

gzip -dc "$T/a9a.gz" | head -n 900 >whole
mkdir shards && cd shards || exit 1
command split -n l/5 -d -a 5 ../whole part-
gzip part-00001
rp-project -q -m none --binary part-00002 part-00002.rows && rm part-00002
# several members, and no newline at the end
{ head -n 40 part-00003 | gzip; tail -n +41 part-00003 | head -c -1 | gzip; } >part-00003.gz && rm part-00003
: >part-00001-empty
gzip -c part-00001-empty >part-00005.gz
cd .. || exit 1
{ echo '# of June'; ls shards; echo; } | sed 's,^part,shards/&,' >parts
sed "s,^shards,$PWD/&,; s/\$/\r/" parts | gzip >elsewhere.gz
sed 's,^shards/,,' parts >shards/list
shards='shards/part-*'
part3=shards/part-00003.gz

# ---- the same bytes as of one file ----

randsvm-train -q whole usual
# trains OPTION... - NAME...: with both forms of names the model is that of the whole
trains()
{
	local options=()
	while [ "$1" != - ]; do options+=("$1"); shift; done
	randsvm-train -q "${options[@]}" whole expected && randsvm-train -q "${options[@]}" "${@:2}" model && same_files expected model
}

ok '@parts'                        trains - @parts
ok 'from another folder'           trains - @shards/list
ok 'absolute names, CR LF, gzip'   trains - @elsewhere.gz
ok 'names'                         trains - $shards
ok 'a list and names'              'echo part-00000 >shards/first; trains - @shards/first $(ls $shards | tail -n +2)'
for o in '--threads 1' '--threads 3' '-t 0' '--memory 60' '-s 3' '-t 0 --multiclass ovr'; do
	ok "$o"                    trains $o - @parts
done
seq 900 | sed 's/.*[05]$/0/' >weights
ok 'weights of all rows'           trains -W weights - @parts
ok 'a name for the model'          'randsvm-train -q @shards/list && same_files usual list.model'
ok 'one file in a list'            'randsvm-train -q whole && ls whole >one && randsvm-train -q @one && same_files whole.model one.model'
ok 'pipes'                         'randsvm-train -q <(head -n 300 whole) <(tail -n +301 whole) m && same_files usual m'
ok 'a list from a pipe'            "randsvm-train -q @<(ls -d \$PWD/$shards) m && same_files usual m"
ok 'a file of that name'           'cp whole @parts && echo nowhere >only && randsvm-train -q @parts m && same_files usual m && rm @parts'
ok '-v'                            'diff <(randsvm-train -q -v 5 whole) <(randsvm-train -q -v 5 @parts)'
ok '--report'                      'randsvm-train -q --report r @parts m && tr -d "\t\n" <r | grep "\"file\":\"parts\",\"rows\":900,"'
ok 'randsvm-grid'                  'diff <(randsvm-grid -log2c 0,1,1 -log2g 0,1,1 -png null -out a whole) <(randsvm-grid -log2c 0,1,1 -log2g 0,1,1 -png null @parts) && cmp a parts.out'
ok 'svm-eval'                      'diff <(svm-eval -o a whole usual) <(svm-eval -o b @parts usual) && cmp a b'
ok 'svm-eval --certify'            'diff <(svm-eval --certify whole usual) <(svm-eval --certify @parts usual)'
ok 'svm-eval --reduce'             'svm-eval -q --reduce 20 whole usual a && svm-eval -q --reduce 20 @parts usual b && cmp a b'
ok 'a checkpoint of the whole'     'randsvm-train -q --max-iter 1 --checkpoint c --checkpoint-every 0 --sample 50 --fail-on-gap 1e-9 whole m; randsvm-train --checkpoint c --checkpoint-every 0 --sample 50 --max-iter 1 @parts m 2>&1 | grep "going on from c"'
rm -f c

# groups by qid, which go on from file to file
awk '{ sub(" ", " qid:" int(NR / 7) " "); print }' whole >qids
head -n 400 qids >qids.1
tail -n +401 qids >qids.2
ok '--by-qid'                      'diff <(randsvm-train -q -v 5 --by-qid qids) <(randsvm-train -q -v 5 --by-qid qids.1 qids.2 m)'
fail 1 'the training set: example 401 has no qid' 'tail -n +401 whole >plain.2; randsvm-train -q -v 5 --by-qid qids.1 plain.2 m'

# ---- what is wrong, and where ----

{ head -n 16 whole; echo '+1 3:x'; } >bad
{ head -n 16 whole; echo '+1 3:9007199254740993'; } >rounded
fail 1 'line 17: bad:17:6:'                            randsvm-train -q shards/part-00000 bad whole m
fail 1 'part-00003.gz: gzip data end too early'        "cp -r shards cut; head -c 900 $part3 >cut/part-00003.gz; randsvm-train -q @cut/list m"
fail 1 "can't open input file shards/part-00009"       randsvm-train shards/part-00000 shards/part-00009 m
fail 1 "can't open input file ./nothing"               'echo ./nothing >l; randsvm-train @l m'
fail 1 "can't open input file -: "                     'echo - >l; randsvm-train @l m <whole'
fail 1 "can't open input file -: "                     'randsvm-train whole - m <whole'
fail 1 "can't open list of files no: "                 randsvm-train @no m
fail 1 'l: no names of files'                          'echo "# none" >l; randsvm-train @l m'
fail 1 'l: no examples'                                'ls shards/*empty shards/*5.gz >l; randsvm-train @l m'
fail 1 'shards: Is a directory'                        'randsvm-train whole shards m'
fail 1 'weights:901: fewer weights than the 1800 rows of the training set' randsvm-train -W weights whole whole m
ok 'rounded: the file and its line' 'randsvm-train whole rounded m 2>&1 | grep "note: rounded:17:6: "'

# ---- nothing is lost ----

cp -r shards before
fail 1 'part-00005.gz is no model: the model_file is to be named behind the files of data' "randsvm-train -q $shards"
fail 1 'part-00005.gz is no model: '                   "randsvm-train -q --force $shards"
fail 1 'part-00005.gz is no model: '                   "randsvm-train -q -v 3 $shards"
fail 1 "'$part3' and '$part3' are the same file"       randsvm-train -q --force @parts $part3
fail 1 "'$part3' and '$part3' are the same file"       randsvm-train -q --sv-indices $part3 @parts m
fail 1 "'parts' and 'parts' are the same file"         randsvm-train -q @parts parts
fail 1 "are the same file"                             svm-eval -q @parts usual shards/part-00000
ok 'no shard has changed'                              diff -r shards before
ok 'a model is replaced'                               "cp usual m && randsvm-train -q $shards m && same_files usual m"
ok '--strict takes two names, as svm-train'            'randsvm-train --strict -q whole m bad && same_files usual m'
