/**
 * The errors of an operation, each with an example. They are derived from its options, fields and comment.
 * Other facts, such as the wording for a bad or missing argument, are in `recorded.json`: responses of the
 * platform that test/contract/openapi/answers.test.ts records.
 */
import type { DescMessage, DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defaultRateLimits, type RateHolder, rateRule } from "../deployment/rate_limits.ts";
import { takesIfMatch, unimplementedReason } from "../options.ts";
import { classOf } from "../rate_classes.ts";
import { type Derived, derivedOf } from "./derived.ts";
import { etagMismatchOf } from "./etags.ts";
import { exampleNameOf } from "./examples.ts";
import { isKeyed, keyReusedText } from "./idempotency.ts";
import {
  alsoUnique,
  calledBy,
  denialOf,
  exhaustionOf,
  noReason,
  notServedOf,
  preconditions,
} from "./reasons.ts";
import recordedJson from "./recorded.json" with { type: "json" };
import { sample } from "./sample.ts";

/**
 * Recorded responses of the platform that the proto does not imply, and the body and the response of a call.
 */
export type RecordedAnswers = Derived & {
  /** A body that the platform accepted, and its response, if examples.ts has none. */
  body?: JsonValue;
  answer?: JsonObject;
};

/** The recorded responses by `package.Service/Method`. */
export const recordedAnswers: Record<string, RecordedAnswers> = recordedJson;

/** Returns what is known about the responses of a method, from its proto and from the records. */
export const answersOf = (method: DescMethod): RecordedAnswers => ({
  ...derivedOf(method),
  ...recordedAnswers[rpcName(method)],
});

/** The facts about an operation that decide which errors it can return. */
export type RefusalContext = {
  method: DescMethod;
  verb: string;
  comment: string;
  isV1: boolean;
  /** Whether it needs no token of the platform. */
  isOpen: boolean;
  /** Whether it is open and reads a bearer token of another kind. */
  hasOwnCredential: boolean;
  /** The names of the capabilities that it needs, such as `repo.list`. */
  capabilities: string[];
  /** The words of a PERMISSION_DENIED that is not about a capability. */
  denial?: string;
  /** Whether its rows are limited to those that the caller's role bindings reach. */
  isUnscoped: boolean;
  hasEvent: boolean;
};

/** One error: its HTTP status, the name of its example, and the body. */
export type DocumentedRefusal = { status: number; name: string; body: JsonObject };

export const rpcName = ({ parent, name }: DescMethod) => `${parent.typeName}/${name}`;

/** Returns every error of an operation, ordered by status. */
export function refusalsOf(context: RefusalContext): DocumentedRefusal[] {
  const domain = context.method.parent.typeName.split(".")[1] ?? "platform";
  const refusal = (
    status: number,
    code: number,
    reason: string,
    text: string,
    ...more: JsonObject[]
  ) =>
    ({
      status,
      name: reason,
      body: {
        code,
        message: text,
        details: [errorInfo(reason, domain), ...more, requestInfo],
      },
    }) satisfies DocumentedRefusal;
  return [
    ...invalidRefusals(context, refusal),
    ...preconditionRefusals(context, refusal),
    ...unauthenticatedRefusals(context, refusal),
    ...permissionRefusals(context, refusal),
    ...notFoundRefusals(context, refusal),
    ...conflictRefusals(context, refusal),
    ...keyRefusals(context, refusal),
    ...exhaustionRefusals(context, refusal),
    ...rateRefusals(context, refusal),
    refusal(500, 13, "INTERNAL", "Internal error"),
    ...unimplementedRefusals(context, refusal),
    ...unavailableRefusals(context, refusal),
  ];
}

type NewRefusal = (
  status: number,
  code: number,
  reason: string,
  text: string,
  ...more: JsonObject[]
) => DocumentedRefusal;

const typeUrl = (kind: string) => `type.googleapis.com/google.rpc.${kind}`;

const requestInfo = { "@type": typeUrl("RequestInfo"), requestId: sample.requestId };

const errorInfo = (reason: string, domain: string) => ({
  "@type": typeUrl("ErrorInfo"),
  reason,
  domain: `${domain}.platform.example`,
});

const resourceInfo = (type: string, name: string, description: string) => {
  const [domain = "", kind = ""] = type.split("/");
  return {
    "@type": typeUrl("ResourceInfo"),
    resourceType: `${domain}.platform.example/${kind}`,
    resourceName: name,
    description: `${kind} ${description}`,
  };
};

/** Any request with a field can have a bad value in it. */
function invalidRefusals({ method }: RefusalContext, newRefusal: NewRefusal): DocumentedRefusal[] {
  const fieldViolations = answersOf(method).invalid;
  const [first] = fieldViolations ?? [];
  if (!fieldViolations || !first) return [];
  const text = `Invalid argument: ${first.field}: ${first.description}`;
  return [
    newRefusal(400, 3, "INVALID_ARGUMENT", text, {
      "@type": typeUrl("BadRequest"),
      fieldViolations,
    }),
  ];
}

/**
 * The comment mentions the states that make a call fail. An operator can require terms documents for any
 * call.
 */
function preconditionRefusals(
  context: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  const states = preconditions(rpcName(context.method));
  if (context.comment.includes("FAILED_PRECONDITION") && states.length === 0) {
    throw noReason("preconditionReasons", context.method, "FAILED_PRECONDITION");
  }
  const refusals = states.map(({ type, description, reason = "FAILED_PRECONDITION" }) => ({
    ...newRefusal(400, 9, reason, `Precondition failed: ${description}`, {
      "@type": typeUrl("PreconditionFailure"),
      violations: [{ type, subject: sample.missing, description }],
    }),
    name: type,
  }));
  const isHeld = !context.isOpen && context.capabilities.length > 0;
  return isHeld ? [...refusals, termsRefusal(context, newRefusal)] : refusals;
}

function termsRefusal({ isV1 }: RefusalContext, newRefusal: NewRefusal): DocumentedRefusal {
  const missing = [
    { id: "platform-tos.v1", label: "Terms of Service", url: "https://example.com/terms" },
  ];
  const type = `vendor.platform.iam${isV1 ? "" : ".v2"}.TermsNotAcceptedDetail`;
  const detail = { "@type": `type.googleapis.com/${type}`, missing };
  return {
    ...newRefusal(400, 9, "FAILED_PRECONDITION", "terms not accepted", detail),
    name: "TERMS_NOT_ACCEPTED",
  };
}

/** Any operation that reads a bearer token fails without one. */
const unauthenticatedRefusals = (
  { isOpen, hasOwnCredential }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] =>
  isOpen && !hasOwnCredential
    ? []
    : [
        newRefusal(
          401,
          16,
          "UNAUTHENTICATED",
          "Unauthenticated: the call has no Authorization header; send one with a bearer token",
        ),
      ];

/** The caller lacks a capability. If none is needed, the comment gives the reason. */
function permissionRefusals(
  { method, capabilities, isOpen, comment, denial }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  const kind = capabilities.length === 1 ? "capability" : "capabilities";
  const names = capabilities.join(", ");
  const needed = `you need the ${kind} ${names} on the resource or on a group above it`;
  const own = denial ?? denialOf(rpcName(method));
  const text = capabilities.length > 0 && !isOpen ? needed : own;
  if (text) {
    const refusal = newRefusal(403, 7, "PERMISSION_DENIED", `Permission denied: ${text}`);
    return [
      /^you need the capability|^you need the capabilities/.test(text)
        ? withDecision(refusal)
        : refusal,
    ];
  }
  if (comment.includes("PERMISSION_DENIED")) {
    throw noReason("denialTexts", method, "PERMISSION_DENIED");
  }
  return [];
}

/** Adds a decision id to the ErrorInfo of a refusal for a missing capability. */
function withDecision({ body, ...refusal }: DocumentedRefusal): DocumentedRefusal {
  // The details are those of refusalsOf, and the ErrorInfo is the first.
  const [info, ...others] = body.details as JsonObject[];
  const details = [{ ...info, metadata: { decision_id: sample.decisionId } }, ...others];
  return { ...refusal, body: { ...body, details } };
}

/** A uid in the request may match nothing. A read in version 1 then returns an empty response instead. */
function notFoundRefusals({ method }: RefusalContext, newRefusal: NewRefusal): DocumentedRefusal[] {
  const missing = answersOf(method).missing;
  if (!missing) return [];
  const name = missing.name.replace("{uid}", sample.missing).replace("{digest}", sample.digest);
  const [, kind = ""] = missing.type.split("/");
  const info = resourceInfo(missing.type, name, "does not exist");
  return [newRefusal(404, 5, "NOT_FOUND", `Not found: ${kind} ${name}`, info)];
}

/**
 * Returns the type of the resource in a response: `iam/Role` for platform.iam.Role and platform.iam.v2.Role.
 */
const typeOf = ({ typeName }: DescMessage) =>
  typeName.replace(/^platform\.(\w+)\.(?:v\d\.)?/, "$1/");

/** A name that must be unique may already exist, and another call may change the same rows. */
function conflictRefusals(context: RefusalContext, newRefusal: NewRefusal): DocumentedRefusal[] {
  const { method, comment, hasEvent } = context;
  const refusals: DocumentedRefusal[] = [];
  if (comment.includes("ALREADY_EXISTS") || rpcName(method) in alsoUnique) {
    const type = alsoUnique[rpcName(method)] ?? typeOf(method.output);
    const [, kind = ""] = type.split("/");
    const name = calledBy[type] ?? exampleNameOf(kind);
    const info = resourceInfo(type, name, "already exists");
    refusals.push(newRefusal(409, 6, "ALREADY_EXISTS", `Already exists: ${kind} ${name}`, info));
  }
  if (hasEvent) {
    const text = "Aborted: other calls keep changing the resource; send the call again";
    refusals.push(newRefusal(409, 10, "ABORTED", text));
  }
  if (takesIfMatch(method) && !context.isV1) {
    const { text, metadata } = etagMismatchOf(method);
    const refusal = newRefusal(412, 10, "ETAG_MISMATCH", text);
    const [info, ...more] = refusal.body.details as JsonObject[];
    refusals.push({
      ...refusal,
      body: { ...refusal.body, details: [{ ...info, metadata }, ...more] },
    });
  }
  return refusals;
}

/** An idempotency key belongs to one request. */
function keyRefusals(context: RefusalContext, newRefusal: NewRefusal): DocumentedRefusal[] {
  if (!isKeyed(context.method, context)) return [];
  const field = "idempotency-key";
  const text = `Invalid argument: ${field}: ${keyReusedText}`;
  const fieldViolations = [{ field, description: keyReusedText }];
  return [
    newRefusal(422, 3, "IDEMPOTENCY_KEY_REUSED", text, {
      "@type": typeUrl("BadRequest"),
      fieldViolations,
    }),
  ];
}

/**
 * Lists without pages in version 1 have a limit, and a call that emits an event needs storage. Comments
 * mention the rest.
 */
function exhaustionRefusals(
  { method, isV1, comment, hasEvent }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  const isPaged = method.input.fields.some(({ name }) => name === "page_token");
  const isUnpaged = isV1 && method.name.startsWith("List") && !isPaged;
  const text = exhaustionOf(rpcName(method));
  if (comment.includes("RESOURCE_EXHAUSTED") && !text) {
    throw noReason("exhaustionTexts", method, "RESOURCE_EXHAUSTED");
  }
  const rows =
    "more than 20000 rows match; narrow the scope, or use version 2, which returns pages";
  const limitText = text ?? (isUnpaged ? rows : undefined);
  const full =
    "the platform's storage is full; nothing can be written until the operator makes room";
  return [
    ...(limitText
      ? [newRefusal(429, 8, "RESOURCE_EXHAUSTED", `Resource exhausted: ${limitText}`)]
      : []),
    ...(hasEvent ? [newRefusal(429, 8, "STORAGE_FULL", `Resource exhausted: ${full}`)] : []),
    ...(hasEvent && growing.test(method.name) ? [quotaRefusal(newRefusal)] : []),
  ];
}

/** Each call that is served counts for a rate limit: of its caller, or of a network without one. */
function rateRefusals(
  { method, isOpen, hasOwnCredential }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  if (unimplementedReason(method) !== undefined) return [];
  const rateClass = classOf(method);
  const holder: RateHolder = !isOpen ? "caller" : hasOwnCredential ? "unverified" : "network";
  const rule = rateRule({ rateClass, holder, limit: defaultRateLimits[rateClass][holder] });
  const text = `Resource exhausted: the rate limit is ${rule}; send the call again in 17 s`;
  const retry = { "@type": typeUrl("RetryInfo"), retryDelay: "17s" };
  const violations = [{ subject: `${rateClass}-${holder}`, description: rule }];
  const quota = { "@type": typeUrl("QuotaFailure"), violations };
  return [newRefusal(429, 8, "RATE_LIMITED", text, retry, quota)];
}

/** The names of RPCs that add something with a quota. Others, such as an upload, can add something too. */
const growing = /^(?:Create|BatchCreate|Import)/;

const quotaRefusal = (newRefusal: NewRefusal): DocumentedRefusal =>
  newRefusal(
    429,
    8,
    "QUOTA_EXCEEDED",
    `Resource exhausted: organization ${sample.missing} may have at most 10000 repos, and this call would make it 10001; ` +
      "delete some, or ask the operator for a higher quota",
    {
      "@type": typeUrl("QuotaFailure"),
      violations: [
        {
          subject: `organization:${sample.missing}`,
          description: "quota repos: limit 10000, use 10001",
        },
      ],
    },
  );

function unimplementedRefusals(
  { method, comment }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  const text = notServedOf(rpcName(method));
  if (comment.includes("UNIMPLEMENTED") && !text) {
    throw noReason("notServedTexts", method, "UNIMPLEMENTED");
  }
  return text ? [newRefusal(501, 12, "UNIMPLEMENTED", `Unimplemented: ${text}`)] : [];
}

/** The message if the database does not respond (src/aip/errors.ts). */
export const unavailableText =
  "Unavailable: the database does not respond; send a read again after a pause; " +
  "before you send a write again, check whether it took effect";

/**
 * To check a token of another issuer, the platform fetches the keys of that issuer. A call without a token
 * still depends on the database, except ping.
 */
function unavailableRefusals(
  { method, isOpen, hasOwnCredential }: RefusalContext,
  newRefusal: NewRefusal,
): DocumentedRefusal[] {
  if (method.parent.file.proto.package.startsWith("platform.ping")) return [];
  if (isOpen && !hasOwnCredential)
    return [newRefusal(503, 14, "DATABASE_UNAVAILABLE", unavailableText)];
  const text =
    "Unavailable: discovery of the issuer https://ci.example.com failed: " +
    "https://ci.example.com/.well-known/openid-configuration must return a JSON object of at most 64 KiB " +
    "with status 200 within five seconds";
  return [newRefusal(503, 14, "UNAVAILABLE", text)];
}
