/** Sends one report of a vulnerability scan to VulnReportsService as gzip. */
import { InvalidArgumentError } from "commander";
import type { Client } from "../account/client.ts";
import type { InputSource } from "./lines.ts";
import { packDocument } from "./packed_document.ts";

/** In bytes of its JSON: the largest report that the API accepts. */
const maxReportBytes = 8 * 1024 * 1024;

/** Stores the report of a scan of an image. Storing the same report again changes nothing. */
export async function importVulns(request: {
  source: InputSource;
  /** The uid of the image's repository. */
  repo: string;
  digest: string;
  /** For a report that does not contain it. */
  scanTime?: Date | undefined;
  client: Client;
}) {
  const { source, repo, digest, scanTime, client } = request;
  const content = await packDocument(source, maxReportBytes);
  const time = scanTime ? { scanTime: scanTime.toISOString() } : {};
  const vulnReport = { digest, content, ...time };
  return client.vulnReports.create(repo, vulnReport, { idempotent: true });
}

/** Parses an option that is a time. */
export function parseTimeOption(value: string): Date {
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  const parsed = new Date(form.test(value) ? value : Number.NaN);
  if (!Number.isNaN(parsed.getTime())) return parsed;
  throw new InvalidArgumentError("It must be an RFC 3339 time, such as 2026-05-01T10:00:00Z.");
}
