"""Makes images (root file systems as docker archives) and OSV records, deterministic."""
import gzip, glob, io, json, os, random, re, sys, tarfile, hashlib, zipfile, collections
random.seed(45)
OUT='/work/compare/data'; os.makedirs(f'{OUT}/images',exist_ok=True); os.makedirs(f'{OUT}/db',exist_ok=True)
STAMP='2026-01-01T00:00:00Z'

# ---- Debian: histories of installed packages from their changelogs
status=open('/var/lib/dpkg/status',encoding='utf8').read().split('\n\n')
pkgs=[]
for block in status:
    f=dict(re.findall(r'^([A-Za-z-]+): (.*)$',block,re.M))
    if not f.get('Package') or 'installed' not in f.get('Status',''): continue
    m=re.match(r'(\S+)(?: \((.*)\))?',f.get('Source',f['Package']))
    src,srcver=m.group(1),m.group(2)
    path=None
    for p in (f"/usr/share/doc/{f['Package']}/changelog.Debian.gz",f"/usr/share/doc/{f['Package']}/changelog.gz"):
        if os.path.exists(p): path=p;break
    pkgs.append((f,src,srcver,path))
hist={}; fixes=collections.defaultdict(dict)
for f,src,srcver,path in pkgs:
    if not path or src in hist: continue
    try: text=gzip.open(path,'rt',encoding='utf8',errors='replace').read()
    except Exception: continue
    entries=re.split(r'^(?=[a-z0-9][a-z0-9+.-]* \([^)]+\) )',text,flags=re.M)
    vs=[]
    for e in entries:
        m=re.match(r'([a-z0-9][a-z0-9+.-]*) \(([^)]+)\) ',e)
        if not m or m.group(1)!=src: continue
        v=m.group(2); vs.append(v)
        for cve in set(re.findall(r'CVE-\d{4}-\d{4,}',e)): fixes[(src,cve)]=v   # oldest mention wins (newest first)
    if vs: hist[src]=vs
records=collections.defaultdict(list)
bycve=collections.defaultdict(list)
for (src,cve),v in sorted(fixes.items()):
    if hist[src].index(v)<25 or random.random()<0.03: bycve[cve].append((src,v))
for cve,items in sorted(bycve.items()):
    aff=[]
    for src,v in items:
        def entry(release,fixed):
            return {'package':{'ecosystem':f'Debian:{release}','name':src,'purl':f'pkg:deb/debian/{src}?arch=source'},
                    'ranges':[{'type':'ECOSYSTEM','events':[{'introduced':'0'}]+([{'fixed':fixed}] if fixed else [])}]}
        aff.append(entry(12,v))
        vs=hist[src]; i=vs.index(v)
        older=vs[min(i+random.randint(1,3),len(vs)-1)]
        aff.append(entry(11,random.choice([older,None,v])))
    records['Debian'].append({'schema_version':'1.7.0','id':f'DEBIAN-{cve}','modified':STAMP,'published':STAMP,'upstream':[cve],'affected':aff})

def add(tar,name,text):
    b=text.encode(); t=tarfile.TarInfo(name); t.size=len(b); t.mode=0o644; tar.addfile(t,io.BytesIO(b))
SB={}
def image(name,files):
    sbom(name,files)
    layer=io.BytesIO()
    with tarfile.open(fileobj=layer,mode='w') as tar:
        for p,text in files.items(): add(tar,p,text)
    layer=layer.getvalue(); diff=hashlib.sha256(layer).hexdigest()
    config=json.dumps({'architecture':'amd64','os':'linux','config':{},'rootfs':{'type':'layers','diff_ids':[f'sha256:{diff}']},'history':[{'created':STAMP,'created_by':'make'}]})
    cid=hashlib.sha256(config.encode()).hexdigest()
    with tarfile.open(f'{OUT}/images/{name}.tar','w') as tar:
        add(tar,f'{cid}.json',config)
        t=tarfile.TarInfo(f'{diff}/layer.tar'); t.size=len(layer); tar.addfile(t,io.BytesIO(layer))
        add(tar,'manifest.json',json.dumps([{'Config':f'{cid}.json','RepoTags':[f'compare/{name}:1'],'Layers':[f'{diff}/layer.tar']}]))

from urllib.parse import quote
def sbom(name,files):
    os.makedirs(f'{OUT}/sbom',exist_ok=True)
    style=['syft-cdx','syft-spdx','trivy-cdx','trivy-spdx'][int(name[-3:])%4]
    osr=dict(l.split('=',1) for l in files['etc/os-release'].replace('"','').split('\n') if '=' in l)
    oid,ver=osr['ID'],osr['VERSION_ID']
    trivy=style.startswith('trivy')
    items=[]
    def q(v): return quote(v,safe=':.~-_')
    for path,text in files.items():
        if path=='var/lib/dpkg/status':
            for b in text.split('\n\n'):
                f=dict(re.findall(r'^([A-Za-z-]+): (.*)$',b,re.M))
                if not f.get('Package'): continue
                m=re.match(r'(\S+)(?: \((.*)\))?',f.get('Source',f['Package'])); src,sv=m.group(1),m.group(2)
                v=f['Version']; quals={'arch':f['Architecture'],'distro':f'{oid}-{ver}' if not trivy else f'{oid}-{ver}.5'}
                pv=v
                if trivy:
                    if ':' in v: ep,pv=v.split(':',1); quals['epoch']=ep
                elif f.get('Source'): quals['upstream']=src+(f'@{sv}' if sv else '')
                items.append((f['Package'],v,f"pkg:deb/{oid}/{quote(f['Package'],safe='')}@{q(pv)}?"+'&'.join(f'{k}={quote(x,safe="")}' for k,x in sorted(quals.items())),(src,sv or v)))
        elif path=='lib/apk/db/installed':
            for b in text.split('\n\n'):
                f=dict(l.split(':',1) for l in b.split('\n') if ':' in l)
                if not f.get('P'): continue
                quals={'arch':'x86_64','distro':ver if trivy else f'{oid}-{ver}'}
                if not trivy and f['o']!=f['P']: quals['upstream']=f['o']
                items.append((f['P'],f['V'],f"pkg:apk/alpine/{f['P']}@{q(f['V'])}?"+'&'.join(f'{k}={quote(x,safe="")}' for k,x in sorted(quals.items())),(f['o'],f['V'])))
        elif path.endswith('METADATA'):
            n,v=re.findall(r'^Name: (.*)$',text,re.M)[0],re.findall(r'^Version: (.*)$',text,re.M)[0]
            items.append((n,v,f'pkg:pypi/{n.lower()}@{q(v)}',None))
        elif path.endswith('package.json'):
            j=json.loads(text); items.append((j['name'],j['version'],f"pkg:npm/{quote(j['name'],safe='/')}@{q(j['version'])}",None))
    def whole(v):
        ep,_,r=v.rpartition(':'); up,_,rel=r.rpartition('-')
        return ep,(up or r),(rel if up else '')
    if style.endswith('cdx'):
        comps=[{'type':'operating-system','name':oid,'version':ver+('.5' if trivy and oid=='debian' else ''),'bom-ref':'os'}]
        for i,(n,v,p,src) in enumerate(items):
            c={'type':'library','bom-ref':f'{i}','name':n,'version':v,'purl':p}
            if trivy and src:
                ep,up,rel=whole(src[1]) if p.startswith('pkg:deb') else ('',src[1],'')
                c['properties']=[{'name':f'aquasecurity:trivy:{k}','value':x} for k,x in [('SrcName',src[0]),('SrcEpoch',ep),('SrcVersion',up),('SrcRelease',rel)] if x]
            comps.append(c)
        doc={'bomFormat':'CycloneDX','specVersion':'1.6','version':1,'metadata':{'component':{'type':'container','name':name}},'components':comps}
    else:
        pk=[{'SPDXID':'SPDXRef-os','name':oid,'versionInfo':ver,'primaryPackagePurpose':'OPERATING-SYSTEM'}]
        for i,(n,v,p,src) in enumerate(items):
            c={'SPDXID':f'SPDXRef-{i}','name':n,'versionInfo':v,'externalRefs':[{'referenceCategory':'PACKAGE-MANAGER','referenceType':'purl','referenceLocator':p}]}
            if trivy and src: c['sourceInfo']=f'built package from: {src[0]} {src[1]}'
            pk.append(c)
        doc={'spdxVersion':'SPDX-2.3','SPDXID':'SPDXRef-DOCUMENT','name':name,'creationInfo':{'created':STAMP,'creators':['Tool: x-1']},'packages':pk}
    json.dump(doc,open(f'{OUT}/sbom/{name}.json','w'))

OSR={12:'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n',
     11:'PRETTY_NAME="Debian GNU/Linux 11 (bullseye)"\nNAME="Debian GNU/Linux"\nVERSION_ID="11"\nVERSION="11 (bullseye)"\nVERSION_CODENAME=bullseye\nID=debian\n'}
def debian_files(release,count):
    blocks=[]
    for f,src,srcver,path in random.sample(pkgs,count):
        vs=hist.get(src)
        v=random.choice(vs[:25]) if vs and random.random()<0.9 else (srcver or f['Version'])
        lines=[f"Package: {f['Package']}",'Status: install ok installed','Priority: optional','Section: libs','Installed-Size: 1',
               'Maintainer: A <a@example.com>',f"Architecture: {f['Architecture']}"]
        if srcver:
            # A rebuild (+b1) keeps its suffix; a binary with versions of its own is taken as it is installed.
            if f['Version'].startswith(srcver): lines+=[f'Source: {src} ({v})',f"Version: {v}{f['Version'][len(srcver):]}"]
            else: lines+=[f'Source: {src} ({srcver})',f"Version: {f['Version']}"]
        else:
            if src!=f['Package']: lines.append(f'Source: {src}')
            lines.append(f'Version: {v}')
        lines.append('Description: x')
        blocks.append('\n'.join(lines))
    return {'etc/os-release':OSR[release],'usr/lib/os-release':OSR[release],'var/lib/dpkg/status':'\n\n'.join(blocks)+'\n\n'}

# ---- Alpine: versions in all forms that apk-tools tests
vectors=[w for w in re.split(r'[\s<>=]+',open('/work/compare/apk_vectors.txt').read()) if re.match(r'^\d',w)]
vectors=random.sample(sorted(set(vectors)),900)
apks=[('libcrypto3','openssl'),('libssl3','openssl'),('openssl','openssl'),('musl','musl'),('musl-utils','musl'),('busybox','busybox'),('ssl_client','busybox'),
 ('zlib','zlib'),('curl','curl'),('libcurl','curl'),('expat','expat'),('libexpat','expat'),('git','git'),('nginx','nginx'),('python3','python3'),('sqlite-libs','sqlite'),
 ('libxml2','libxml2'),('xz-libs','xz'),('apk-tools','apk-tools'),('bind-libs','bind'),('nodejs','nodejs'),('tiff','tiff'),('gnutls','gnutls'),('perl','perl'),('vim','vim')]
n=0
for origin in sorted({o for _,o in apks}):
    for k in range(40):
        n+=1
        fixed=random.choice(vectors)
        if not re.search(r'-r\d+$',fixed): fixed+=f'-r{random.randint(0,9)}'
        records['Alpine'].append({'schema_version':'1.7.0','id':f'ALPINE-CVE-2025-{10000+n}','modified':STAMP,'published':STAMP,'upstream':[f'CVE-2025-{10000+n}'],
          'affected':[{'package':{'ecosystem':f'Alpine:v3.{r}','name':origin,'purl':f'pkg:apk/alpine/{origin}?arch=source'},
            'ranges':[{'type':'ECOSYSTEM','events':[{'introduced':'0'},{'fixed':fixed}]}]} for r in random.sample([18,19,20,21],random.randint(1,4))]})
def alpine_files(minor):
    out=[]
    for p,o in random.sample(apks,18):
        v=random.choice(vectors)
        if not re.search(r'-r\d+$',v): v+=f'-r{random.randint(0,9)}'
        out.append(f'C:Q1qKcZ+j23xssAXmgQhkOO8dHnbWw=\nP:{p}\nV:{v}\nA:x86_64\nS:1\nI:1\nT:x\nU:https://e.example\nL:MIT\no:{o}\nm:A <a@example.com>\nt:1700000000\nc:0000000000000000000000000000000000000000\n')
    osr=f'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.{minor}.2\nPRETTY_NAME="Alpine Linux v3.{minor}"\n'
    return {'etc/os-release':osr,'usr/lib/os-release':osr,'etc/alpine-release':f'3.{minor}.2\n','lib/apk/db/installed':'\n'.join(out)+'\n'}

# ---- PyPI: the shared records
pypi=collections.defaultdict(set)
for line in gzip.open('/work/shared/data/osv-pypi.jsonl.gz','rt'):
    r=json.loads(line); records['PyPI'].append(r)
    for a in r['affected']:
        if a['package']['ecosystem']!='PyPI': continue
        for v in a.get('versions',[]): pypi[a['package']['name']].add(v)
        for g in a.get('ranges',[]):
            if g['type']=='GIT': continue
            for e in g['events']:
                for v in e.values():
                    if v!='0': pypi[a['package']['name']].add(v)
def pypi_files(count):
    files={}
    names=sorted(pypi)
    for name in random.sample(names,min(count,len(names))):
        v=random.choice(sorted(pypi[name]))
        dist=name.replace('-','_')
        files[f'usr/lib/python3.11/site-packages/{dist}-{v}.dist-info/METADATA']=f'Metadata-Version: 2.1\nName: {name}\nVersion: {v}\n'
        files[f'usr/lib/python3.11/site-packages/{dist}-{v}.dist-info/RECORD']=f'{dist}/__init__.py,,\n'
    return files

# ---- npm: advisories of well-known packages
npm=json.load(open('/work/compare/npm_records.json'))
npmv=collections.defaultdict(set)
for id_,name,ranges,versions in npm:
    records['npm'].append({'schema_version':'1.7.0','id':id_,'modified':STAMP,'published':STAMP,'affected':[{'package':{'ecosystem':'npm','name':name},
      'ranges':[{'type':'SEMVER','events':[{k:v} for k,v in zip(r[::2],r[1::2])]} for r in ranges],**({'versions':versions} if versions else {})}]})
    for r in ranges:
        for v in r[1::2]:
            m=re.match(r'(\d+)\.(\d+)\.(\d+)',v)
            if not m: continue
            a,b,c=map(int,m.groups())
            npmv[name]|={v,f'{a}.{b}.{c}',f'{a}.{b}.{c+1}',f'{a}.{b}.{max(c-1,0)}',f'{a}.{b}.{c}-rc.1',f'{a}.{b}.{c}-beta',f'{a}.{b+1}.0',f'{a+1}.0.0-alpha.1',f'{a}.{b}.{c}-rc.10'}
    npmv[name]|=set(versions)
    if not npmv[name]: npmv[name]={'1.0.0','2.3.4-rc.1'}
def npm_files(count):
    files={}; lock={}
    for name in random.sample(sorted(npmv),min(count,len(npmv))):
        v=random.choice(sorted(npmv[name]))
        files[f'app/node_modules/{name}/package.json']=json.dumps({'name':name,'version':v,'license':'MIT'})
        lock[f'node_modules/{name}']={'version':v,'resolved':f'https://registry.npmjs.org/{name}/-/x-{v}.tgz'}
    files['app/node_modules/.package-lock.json']=json.dumps({'name':'app','lockfileVersion':3,'requires':True,'packages':lock})
    return files

for i in range(110):
    files=debian_files(11 if i%5==4 else 12,random.randint(60,140))
    if i%2==0: files|=pypi_files(random.randint(5,20))
    if i%3==0: files|=npm_files(random.randint(5,25))
    image(f'debian-{i:03}',files)
for i in range(60):
    files=alpine_files(random.choice([18,19,20,21]))
    if i%2==0: files|=pypi_files(random.randint(5,20))
    if i%3==0: files|=npm_files(random.randint(5,25))
    image(f'alpine-{i:03}',files)
for i in range(50):
    files={'etc/os-release':OSR[12],'usr/lib/os-release':OSR[12],'var/lib/dpkg/status':'\n'}|pypi_files(25)|npm_files(30)
    image(f'library-{i:03}',files)
for eco,list_ in records.items():
    os.makedirs(f'{OUT}/db/{eco}',exist_ok=True)
    with zipfile.ZipFile(f'{OUT}/db/{eco}/all.zip','w',zipfile.ZIP_DEFLATED) as z:
        for r in list_: z.writestr(f"{r['id']}.json",json.dumps(r))
    with open(f'{OUT}/{eco}.jsonl','w') as o:
        for r in list_: o.write(json.dumps(r)+'\n')
    print(eco,len(list_))
print('sources with history',len(hist),'images',len(os.listdir(f'{OUT}/images')))
