/** One real change by every RPC of vulnerability reports that has an event. */
import { grypeReport, matchOf, packed } from "../registry/grype_reports.ts";
import { digestOf, make } from "../world/personas.ts";
import type { OwnChange } from "./change.ts";

const reportOf = (id: number) => ({
  digest: digestOf("scanned"),
  content: packed(grypeReport([matchOf(`CVE-2026-${id}`, "High")])),
});

export const vulnReportChanges: Record<string, OwnChange> = {
  "VulnReportsService/CreateVulnReport": {
    prepare: ({ repo }) => ({
      request: { parent: repo, vulnReport: reportOf(1000 + Math.floor(Math.random() * 1e9)) },
    }),
    group: "root",
    async idle({ repo, token }) {
      await make(`/registry/v2/vulnReports/${repo}`, token, reportOf(7));
      return { parent: repo, vulnReport: reportOf(7) };
    },
  },
};
