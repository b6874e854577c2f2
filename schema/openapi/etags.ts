/** Conditional requests in the document: their headers, and the responses to them. */
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { takesIfMatch } from "../options.ts";
import type { Parameter, ResponseObject } from "./form.ts";
import { sample } from "./sample.ts";

/** The etag of an example, as src/aip/etags.ts makes it. */
export const exampleEtag = (kind: string, uid: string, updateTime: string) =>
  `"${kind}-${uid.replace(/^.*\//, "")}-${Date.parse(updateTime).toString(36)}"`;

/** Whether a GET of version 2 has an etag, and responds to `If-None-Match`. */
const isConditionalRead = (verb: string, isV1: boolean) => verb.toUpperCase() === "GET" && !isV1;

/** The headers of a conditional request that an operation takes. */
export function conditionParameters(method: DescMethod, verb: string, isV1: boolean): Parameter[] {
  const schema = { type: "string" };
  if (isConditionalRead(verb, isV1)) {
    const description =
      "Etags of earlier responses. If one of them is still right, the response is 304 and has no body.";
    return [{ name: "If-None-Match", in: "header", description, schema }];
  }
  if (isV1 || !takesIfMatch(method)) return [];
  const description =
    "The etag of the resource, as a GET returned it, or `*`. If the resource has changed since then, the call fails with " +
    "412 and writes nothing.";
  return [{ name: "If-Match", in: "header", description, schema }];
}

/** The header of a response with an etag, as `headers` of the response. */
export const etagHeader = (verb: string, isV1: boolean): JsonObject =>
  isConditionalRead(verb, isV1)
    ? { etag: { description: "The etag of the response.", schema: { type: "string" } } }
    : {};

/** The response to a read whose caller already has it. */
export const notModifiedResponse = (verb: string, isV1: boolean): Record<string, ResponseObject> =>
  isConditionalRead(verb, isV1)
    ? {
        304: {
          description:
            "The response is the one whose etag is in `If-None-Match`. The body is empty.",
        },
      }
    : {};

/** The message of the error for an outdated etag, and the metadata of its ErrorInfo. */
export function etagMismatchOf({ name }: DescMethod) {
  const kind = name.replace(/^(?:Update|Delete)/, "");
  const etag = exampleEtag(kind, sample.repo, "2026-03-02T08:10:45.002Z");
  const text = `Aborted: ${kind} ${sample.repo} does not match your etag; its etag is now ${etag}; read it again`;
  return { text, metadata: { etag } };
}
