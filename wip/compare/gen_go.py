import json,glob,random,re,os,zipfile,collections
random.seed(7); D='/work/compare/go'
recs=[]; mods=collections.defaultdict(set)
for f in sorted(glob.glob('/root/go/pkg/mod/golang.org/x/vulndb@*/data/osv/*.json')):
    r=json.load(open(f)); recs.append(r)
    for a in r.get('affected',[]):
        n=a['package']['name']
        for g in a.get('ranges',[]):
            for e in g['events']:
                for v in e.values():
                    m=re.match(r'(\d+)\.(\d+)\.(\d+)(.*)',v)
                    if not m: continue
                    x,y,z=map(int,m.groups()[:3])
                    mods[n]|={v,f'{x}.{y}.{z}',f'{x}.{y}.{z+1}',f'{x}.{y}.{max(z-1,0)}',f'{x}.{y}.{z}-rc.1',f'{x}.{y+1}.0',f'{x}.{max(y-1,0)}.9',f'{x}.{y}.{z+1}-0.20220101000000-abcdefabcdef'}
                    if x>1 and not re.search(r'/v\d+$|\.v\d+$',n): mods[n]|={f'{x}.{y}.{z}+incompatible'}
        mods[n]|={'0.0.0-20190101000000-abcdefabcdef'}
os.makedirs(f'{D}/sbom',exist_ok=True); os.makedirs(f'{D}/cache/osv-scanner/Go',exist_ok=True); os.makedirs('/work/compare/data_go',exist_ok=True)
with zipfile.ZipFile(f'{D}/cache/osv-scanner/Go/all.zip','w',zipfile.ZIP_DEFLATED) as z:
    for r in recs: z.writestr(r['id']+'.json',json.dumps(r))
open('/work/compare/data_go/Go.jsonl','w').write('\n'.join(json.dumps(r) for r in recs)+'\n')
names=sorted(set(mods)-{'stdlib','toolchain'})
for i in range(40):
    comps=[]
    for n in random.sample(names,150)+['stdlib','toolchain']:
        v=random.choice(sorted(mods[n]))
        p='' if n in('stdlib','toolchain') else 'v'
        comps.append({'type':'library','bom-ref':n,'name':n,'version':p+v,'purl':f'pkg:golang/{n}@{p}{v}'.replace('+','%2B')})
    json.dump({'bomFormat':'CycloneDX','specVersion':'1.5','version':1,'components':comps},open(f'{D}/sbom/go-{i:03}.cdx.json','w'))
print(len(recs),len(names))
