# scan.sh: the scanner's findings and SBOMs of all images, offline
cd /work/compare; mkdir -p data/theirs data/sbom-cdx data/sbom-spdx data/cache/osv-scanner data/cache/osv-scalibr
for e in Debian Alpine PyPI npm; do for d in osv-scanner osv-scalibr; do mkdir -p data/cache/$d/$e; cp data/db/$e/all.zip data/cache/$d/$e/; done; done
export OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY=/work/compare/data/cache
for f in ${1:-data/images/*.tar}; do n=$(basename $f .tar)
  [ -s data/theirs/$n.json ] || bin/osv-scanner scan image --archive $f --offline-vulnerabilities --all-packages --format json --output-file data/theirs/$n.json > data/theirs/$n.log 2>&1
  case $n in *0) [ -s data/sbom-cdx/$n.json ] || bin/osv-scanner scan image --archive $f --offline-vulnerabilities --all-packages --format cyclonedx-1-5 --output-file data/sbom-cdx/$n.json > /dev/null 2>&1;; esac
done; date
