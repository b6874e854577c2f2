cd /work/compare
export GOBIN=/work/compare/bin GOFLAGS=-p=2 PATH=$PATH:/usr/local/go/bin
for v in v2.4.0 v2.3.8 v2.3.5 v2.3.3; do
  echo "== $v"; go install github.com/google/osv-scanner/v2/cmd/osv-scanner@$v && break
done
date
