/** The errors of an operation as responses in the document. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type ResponseObject, ref } from "./form.ts";
import type { DocumentedRefusal } from "./refusals.ts";

const texts: Record<number, string> = {
  400: "INVALID_ARGUMENT: a field cannot be parsed or is not valid.",
  401: "UNAUTHENTICATED: the token is missing or not valid. The message says which check failed.",
  403:
    "PERMISSION_DENIED: you cannot do this. If you lack a capability, the error is the same whether or not " +
    "the resource exists. ErrorInfo.metadata.decision_id then identifies the decision, for GetAccessDecision.",
  404:
    "NOT_FOUND: the resource does not exist. The call returns this error only if you have the capabilities that it " +
    "needs.",
  409: "ABORTED: other calls keep changing the same resource. The call wrote nothing, so you can send it again.",
  412: "ABORTED: the resource does not match the etag in `If-Match`. The call wrote nothing, so read the resource again.",
  422: "IDEMPOTENCY_KEY_REUSED: the idempotency key was sent with another request in the last 24 hours.",
  429:
    "RESOURCE_EXHAUSTED: if the reason is RATE_LIMITED, you have made too many calls in a minute. Send the call again " +
    "after the seconds in `Retry-After`. If it is QUOTA_EXCEEDED, the organization has all that its quota allows. With " +
    "other reasons, the response would be too large, or the call was repeated too soon. If the reason is " +
    "STORAGE_FULL, the platform has no storage left.",
  500: "INTERNAL: an error in the platform. The operator has to fix it.",
  501: "UNIMPLEMENTED: the platform does not implement this. The message says why.",
  503:
    "UNAVAILABLE: something that the call depends on does not respond, such as the keys of another issuer. " +
    "If the reason is DATABASE_UNAVAILABLE, a write may have succeeded.",
};

/**
 * Returns the errors by status, with one or more examples for each. Examples that many operations have become
 * shared components.
 */
export function refusalResponses(
  refusals: DocumentedRefusal[],
  sharedExamples: JsonObject,
): Record<string, ResponseObject> {
  const answers: Record<string, ResponseObject> = {};
  for (const status of new Set(refusals.map((refusal) => refusal.status))) {
    const these = refusals.filter((refusal) => refusal.status === status);
    const examples = Object.fromEntries(
      these.map((refusal) => [refusal.name, exampleOf(refusal, sharedExamples)]),
    );
    answers[status] = {
      description: descriptionOf(status, these),
      ...(status === 401 ? { headers: { "www-authenticate": challenge } } : {}),
      ...(status === 429 ? { headers: rateHeaders } : {}),
      content: content(ref("schemas", "Status"), examples),
    };
  }
  return answers;
}

/** Many operations have the same example for these, so it is stored once. */
const common = [
  "TERMS_NOT_ACCEPTED",
  "ABORTED",
  "STORAGE_FULL",
  "RATE_LIMITED",
  "QUOTA_EXCEEDED",
  "IDEMPOTENCY_KEY_REUSED",
];

function exampleOf({ name, body }: DocumentedRefusal, sharedExamples: JsonObject): JsonObject {
  if (!common.includes(name)) return body;
  const [info, ...more] = body.details as { "@type": string; domain?: string }[];
  const [domain] = (info?.domain ?? "").split(".");
  const isV1 = more.some((detail) => detail["@type"].includes("platform.iam.Terms"));
  const key = `${name}.${domain}${isV1 ? ".v1" : ""}${policyOf(body)}`;
  sharedExamples[key] = { value: body };
  return ref("examples", key);
}

/** The name of the rate limit in an example, such as `.read-caller`. */
function policyOf({ details }: JsonObject): string {
  const [, , quota] = details as { violations?: { subject: string }[] }[];
  const subject = quota?.violations?.[0]?.subject;
  return subject === undefined ? "" : `.${subject}`;
}

function descriptionOf(status: number, refusals: DocumentedRefusal[]): string {
  const codes = refusals.map(({ body }) => body.code);
  const own = texts[status] ?? "";
  if (status === 400 && codes.includes(9)) {
    const unmet =
      "FAILED_PRECONDITION: the current state does not allow the call. The violations say why.";
    return codes.includes(3) ? `${own} ${unmet}` : unmet;
  }
  if (status === 409 && codes.includes(6)) {
    const alreadyExistsText =
      "ALREADY_EXISTS: a resource with the same name or key exists. The name or key must be unique.";
    return codes.includes(10) ? `${alreadyExistsText} ${own}` : alreadyExistsText;
  }
  return own;
}

const challenge = {
  description: "The authentication scheme and the error (RFC 6750).",
  schema: { type: "string" },
};

/** Only a refusal with the reason RATE_LIMITED has these headers. */
const rateHeaders = {
  "retry-after": {
    description: "The seconds after which the call can be sent again.",
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
  "ratelimit-policy": {
    description: "The limit that was reached, and the seconds in which calls are counted.",
    schema: { type: "string" },
    example: '"read-caller";q=6000;w=60',
  },
  ratelimit: {
    description: "The remaining calls, and the seconds until the count begins again.",
    schema: { type: "string" },
    example: '"read-caller";r=0;t=17',
  },
};
