/** What an operation refuses, as answers of the document. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type ResponseObject, ref } from "./form.ts";
import type { DocumentedRefusal } from "./refusals.ts";

const texts: Record<number, string> = {
  400: "INVALID_ARGUMENT: a field cannot be read, or breaks its rules.",
  401: "UNAUTHENTICATED: no token, or one that proves nothing. The message says what is wrong.",
  403: "PERMISSION_DENIED. Where a capability is missing it reads the same whether the resource exists or not.",
  404: "NOT_FOUND: you may see the place, and it is empty.",
  409: "ABORTED: others keep changing it. Nothing was written; send it again.",
  429: "RESOURCE_EXHAUSTED: an answer that would be too large, a call that comes too soon again, or, with the reason STORAGE_FULL, no storage left to write to.",
  500: "INTERNAL: ours to mend.",
  501: "UNIMPLEMENTED: the message says why.",
  503: "UNAVAILABLE: something this depends on, such as another issuer's keys, does not answer. With the reason DATABASE_UNAVAILABLE a write may have been done.",
};

/**
 * Refusals by status, each status with one example or several. Examples that many operations have are
 * put on the shelf, and referred to.
 */
export function refusalResponses(
  refusals: DocumentedRefusal[],
  sharedExamples: JsonObject,
): Record<string, ResponseObject> {
  const answers: Record<string, ResponseObject> = {};
  for (const status of new Set(refusals.map((one) => one.status))) {
    const these = refusals.filter((one) => one.status === status);
    const examples = Object.fromEntries(
      these.map((one) => [one.name, exampleOf(one, sharedExamples)]),
    );
    answers[status] = {
      description: descriptionOf(status, these),
      ...(status === 401 ? { headers: { "www-authenticate": challenge } } : {}),
      content: content(ref("schemas", "Status"), examples),
    };
  }
  return answers;
}

/** Many operations have the same one of these, which is kept once. */
const common = ["TERMS_NOT_ACCEPTED", "ABORTED", "STORAGE_FULL"];

function exampleOf({ name, body }: DocumentedRefusal, sharedExamples: JsonObject): JsonObject {
  if (!common.includes(name)) return body;
  const [info, ...more] = body.details as { "@type": string; domain?: string }[];
  const [domain] = (info?.domain ?? "").split(".");
  const isV1 = more.some((detail) => detail["@type"].includes("platform.iam.Terms"));
  const key = `${name}.${domain}${isV1 ? ".v1" : ""}`;
  sharedExamples[key] = { value: body };
  return ref("examples", key);
}

function descriptionOf(status: number, refusals: DocumentedRefusal[]): string {
  const codes = refusals.map(({ body }) => body.code);
  const own = texts[status] ?? "";
  if (status === 400 && codes.includes(9)) {
    const unmet = "FAILED_PRECONDITION: the state forbids it, see the violations.";
    return codes.includes(3) ? `${own} ${unmet}` : unmet;
  }
  if (status === 409 && codes.includes(6)) {
    const alreadyExistsText = "ALREADY_EXISTS: there is one, and can be one only.";
    return codes.includes(10) ? `${alreadyExistsText} ${own}` : alreadyExistsText;
  }
  return own;
}

const challenge = {
  description: "The scheme and what is wrong (RFC 6750).",
  schema: { type: "string" },
};
