import json,glob,os
ours=json.load(open('/work/compare/go/ours.json')); both=0; oo=[]; ot=[]; n=0; pk=0
for f in sorted(glob.glob('/work/compare/go/theirs/*.json')):
    name=os.path.basename(f)[:-5]
    try: d=json.load(open(f))
    except Exception: continue
    if name not in ours: continue
    n+=1; t={}; vs={}
    for r in d['results']:
        for p in r['packages']:
            pk+=1; nm=p['package']['name']; vs[nm.lower()]=p['package']['version']
            for v in p.get('vulnerabilities',[]): t[nm.lower(),v['id']]=p['package']['version']
    o={}
    for k,v in ours[name]['pairs'].items():
        _,a,b=k.split('|'); o[a.lower(),b]=v
    a={k for k,v in o.items() if v=='AFFECTED'}; tk=set(t)
    both+=len(a&tk); oo+=[(name,)+k+(vs.get(k[0]),) for k in a-tk]; ot+=[(name,)+k+(t[k],o.get(k)) for k in tk-a]
print(n,pk,'both',both,'only ours',len(oo),'only theirs',len(ot),'%.3f%%'%(100*both/max(1,both+len(oo)+len(ot))))
print(oo[:12]); print(ot[:12])
import collections
print(collections.Counter(x[1] for x in oo).most_common(10), collections.Counter(x[1] for x in ot).most_common(10))
