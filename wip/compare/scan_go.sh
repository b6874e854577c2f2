cd /work/compare/go; mkdir -p theirs; export OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY=/work/compare/go/cache
for f in sbom/*.cdx.json; do n=$(basename $f .cdx.json); ../bin/osv-scanner scan source -L $f --offline-vulnerabilities --all-packages --format json --output-file theirs/$n.json > theirs/$n.log 2>&1; done; date
