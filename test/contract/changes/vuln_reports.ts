/** One real change for every RPC of vulnerability reports that has an event. */
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import { createResource, fakeDigest } from "../../world/personas.ts";
import type { OwnChange } from "./change.ts";

const reportOf = (id: number) => ({
  digest: fakeDigest("scanned"),
  content: packedReport(grypeReport([matchOf(`CVE-2026-${id}`, "High")])),
});

export const vulnReportChanges: Record<string, OwnChange> = {
  "VulnReportsService/CreateVulnReport": {
    prepare: ({ repo }) => ({
      request: { parent: repo, vulnReport: reportOf(1000 + Math.floor(Math.random() * 1e9)) },
    }),
    group: "root",
    async idle({ repo, token }) {
      await createResource(`/registry/v2/vulnReports/${repo}`, token, reportOf(7));
      return { parent: repo, vulnReport: reportOf(7) };
    },
  },
};
