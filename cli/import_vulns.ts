/** One report of a vulnerability scan, as gzip to VulnReportsService. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import { InvalidArgumentError } from "commander";
import {
  type VulnReport,
  VulnReportsService,
} from "../schema/gen/platform/registry/v2/vuln_reports_pb.js";
import { findRepo, type Image } from "./image.ts";
import type { Source } from "./import_lines.ts";
import { packedDocument } from "./packed_document.ts";

/** The largest report that the API takes, in bytes of its JSON. */
const maxReportBytes = 8 * 1024 * 1024;

/** Stores the report of a scan of an image. The same report again changes nothing. */
export async function importVulns(request: {
  source: Source;
  image: Image;
  /** Of a report that tells none. */
  scanTime?: Date | undefined;
  transport: Transport;
}): Promise<VulnReport> {
  const { source, image, scanTime, transport } = request;
  const content = await packedDocument(source, maxReportBytes);
  const parent = await findRepo(transport, image.repo);
  const time = scanTime ? { scanTime: timestampFromDate(scanTime) } : {};
  const vulnReport = { digest: image.digest, content, ...time };
  return createClient(VulnReportsService, transport).createVulnReport({ parent, vulnReport });
}

/** Parser of an option that is a time. */
export function time(value: string): Date {
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  const parsed = new Date(form.test(value) ? value : Number.NaN);
  if (!Number.isNaN(parsed.getTime())) return parsed;
  throw new InvalidArgumentError("A time is written as in RFC 3339: 2026-05-01T10:00:00Z.");
}
