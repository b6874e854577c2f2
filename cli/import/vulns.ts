/** One report of a vulnerability scan, as gzip to VulnReportsService. */
import { InvalidArgumentError } from "commander";
import type { Client } from "../account/client.ts";
import type { InputSource } from "./lines.ts";
import { packDocument } from "./packed_document.ts";

/** The largest report that the API takes, in bytes of its JSON. */
const maxReportBytes = 8 * 1024 * 1024;

/** Stores the report of a scan of an image. The same report again changes nothing. */
export async function importVulns(request: {
  source: InputSource;
  /** Uid of the image's repo. */
  repo: string;
  digest: string;
  /** Of a report that tells none. */
  scanTime?: Date | undefined;
  client: Client;
}) {
  const { source, repo, digest, scanTime, client } = request;
  const content = await packDocument(source, maxReportBytes);
  const time = scanTime ? { scanTime: scanTime.toISOString() } : {};
  const vulnReport = { digest, content, ...time };
  return client.vulnReports.create(repo, vulnReport, { idempotent: true });
}

/** Parser of an option that is a time. */
export function parseTimeOption(value: string): Date {
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  const parsed = new Date(form.test(value) ? value : Number.NaN);
  if (!Number.isNaN(parsed.getTime())) return parsed;
  throw new InvalidArgumentError("A time is written as in RFC 3339: 2026-05-01T10:00:00Z.");
}
