cd /work/compare; mkdir -p data/sbom-syft; export SYFT_CHECK_FOR_APP_UPDATE=false
i=0
for n in alpine-001 debian-001 alpine-004 debian-004 alpine-007 debian-007 library-001 debian-002 alpine-010 debian-010 library-002 debian-013 alpine-013 debian-016 alpine-016 debian-019 debian-022 debian-024 alpine-019 debian-029 alpine-022 debian-034; do
  i=$((i+1)); if [ $((i%2)) = 0 ]; then o=cyclonedx-json; else o=spdx-json; fi
  bin/syft scan docker-archive:data/images/$n.tar -q -o $o=data/sbom-syft/$n.json >> data/syft.log 2>&1
done; date
