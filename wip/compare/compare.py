import json,glob,os,sys,collections
ours=json.load(open('/work/compare/'+(sys.argv[1] if len(sys.argv)>1 else 'data/ours.json')))
typ={'Debian':'deb','Alpine':'apk','PyPI':'pypi','npm':'npm'}
both=0; only_o=[]; only_t=[]; unk=[]; n=0; per=collections.Counter(); pk=0
for f in sorted(glob.glob('/work/compare/data/theirs/*.json')):
    name=os.path.basename(f)[:-5]
    if name not in ours: continue
    try: d=json.load(open(f))
    except Exception: continue
    n+=1
    t=set()
    for r in d['results']:
        for p in r['packages']:
            pk+=1
            eco=p['package']['ecosystem'].split(':')[0]
            nm=p['package'].get('os_package_name') or p['package']['name']
            for v in p.get('vulnerabilities',[]): t.add((typ[eco],nm,v['id'],p['package']['version']))
    tv={(a,b,c):v for a,b,c,v in t}
    o={tuple(k.split('|')):v for k,v in ours[name]['pairs'].items()}
    aff={k for k,v in o.items() if v=='AFFECTED'}; un={k for k,v in o.items() if v!='AFFECTED'}
    tk=set(tv)
    for k in aff&tk: both+=1; per[k[0],'both']+=1
    for k in aff-tk: only_o.append((name,)+k); per[k[0],'only ours']+=1
    for k in tk-aff:
        if k in un: unk.append((name,)+k+(tv[k],)); per[k[0],'ours unknown']+=1
        else: only_t.append((name,)+k+(tv[k],)); per[k[0],'only theirs']+=1
    for k in un-tk: per[k[0],'unknown, not theirs']+=1
print('images',n,'packages',pk,'both',both,'only ours',len(only_o),'only theirs',len(only_t),'ours unknown, theirs affected',len(unk))
tot=both+len(only_o)+len(only_t)+len(unk)
print('agreement %.3f%%'%(100*both/max(tot,1)))
for k,v in sorted(per.items()): print(k,v)
def show(t,l):
    c=collections.Counter((x[1],x[2]) for x in l); print(t,c.most_common(25))
    for x in l[:8]: print('  ',x)
show('ONLY OURS',only_o); show('ONLY THEIRS',only_t); show('UNKNOWN',unk)
