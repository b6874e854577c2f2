/**
 * `GET /vulnerabilities/v2/advisories/{uid}` in other formats. A request with `?format=`, or with a media
 * type in `Accept` (RFC 9110, section 12.5.1), becomes a call of ExportAdvisory.
 */
import { preferredMediaType } from "../../rpc/accept.ts";
import type { Worker } from "../../rpc/runtime.ts";

/** The media types of the formats. They are in use, but none is registered. */
export const mediaTypes = {
  osv: "application/vnd.osv+json",
  openvex: "application/vnd.openvex+json",
  csaf: "application/csaf+json",
} as const;

const pathPattern = /^\/vulnerabilities\/v2\/advisories\/([0-9a-f/]|%2f)+$/i;
const verbs = ["GET", "HEAD"];

/** Wraps the Worker, so that it returns an advisory in the requested format. */
export const withExportFormats = (worker: Worker): Worker => ({
  async fetch(request, env, execution) {
    const url = new URL(request.url);
    if (!verbs.includes(request.method) || !pathPattern.test(url.pathname)) {
      return worker.fetch(request, env, execution);
    }
    const named = url.searchParams.getAll("format");
    const liked = acceptedFormat(request.headers.get("accept") ?? "");
    const formats = named.length > 0 || liked === undefined ? named : [liked];
    const response = await worker.fetch(toExportRequest(request, url, formats), env, execution);
    const answer = new Response(response.body, response);
    answer.headers.append("vary", "Accept");
    return answer;
  },
});

/**
 * The request for ExportAdvisory. Other parameters remain in the query. If the advisory itself is requested,
 * only the format is removed.
 */
function toExportRequest(request: Request, url: URL, formats: string[]): Request {
  if (formats.length === 0) return request;
  const exportUrl = new URL(url);
  exportUrl.searchParams.delete("format");
  if (formats.join() !== "json") {
    exportUrl.pathname = `${url.pathname.replace(/\/$/, "")}:export`;
    for (const format of formats) exportUrl.searchParams.append("format", format);
  }
  return new Request(exportUrl, request);
}

/** The media type of the advisory itself. */
const messageMediaTypes = ["application/json", "application/*", "*/*"];

/** The preferred format. Undefined for the advisory itself, and if no format is known. */
const acceptedFormat = (accept: string) =>
  formatOf(preferredMediaType(accept, [...Object.values(mediaTypes), ...messageMediaTypes]));

const formatOf = (type: string | undefined) =>
  Object.entries(mediaTypes).find(([, mediaType]) => mediaType === type)?.[0];
