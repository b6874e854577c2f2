export GOBIN=/work/compare/bin GOFLAGS=-p=2 PATH=$PATH:/usr/local/go/bin
go install github.com/anchore/syft/cmd/syft@v1.57.1; date
