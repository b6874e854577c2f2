/**
 * Turns responses and bodies of a run into examples of the OpenAPI document that are the same after every
 * run.
 */
import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { exampleEtag } from "../../../schema/openapi/etags.ts";
import { answerExample, bodyExample } from "../../../schema/openapi/examples.ts";
import type { Schema } from "../../../schema/openapi/form.ts";
import type { RecordedAnswers } from "../../../schema/openapi/refusals.ts";
import { sample } from "../../../schema/openapi/sample.ts";
import { roleUid } from "../../world/personas.ts";
import { type Answer, baseUrl } from "../../world/platform.ts";
import { restCall } from "../callers.ts";
import type { ContractRpc } from "../rpcs.ts";
import { answerOf, jsonMediaType, openapi, operationOf } from "./document.ts";

/** The part of a successful call that schema/openapi/examples.ts has no example of. */
export async function examplesOfCall(
  rpc: ContractRpc,
  request: JsonObject,
  { body: answered }: Answer,
) {
  const placed = operationOf(rpc);
  const components = openapi.components.schemas as Record<string, Schema>;
  const answer = answerOf(placed, 200).answer.content?.[jsonMediaType]?.schema as
    | Schema
    | undefined;
  const body = placed.operation.requestBody?.content[jsonMediaType]?.schema as Schema | undefined;
  const toExample = exampleMaker(await roleUid("viewer"));
  const examples: RecordedAnswers = {};
  if (body && bodyExample(body, components) === undefined) {
    examples.body = toExample(restCall(rpc, request).asked.body ?? {});
  }
  if (answer && answerExample(answer, components) === undefined && showsSomething(answered)) {
    examples.answer = toExample(answered) as JsonObject;
  }
  return examples;
}

/** A page without rows, or an empty body, is not used as an example. */
const showsSomething = (answer: JsonObject | undefined) =>
  Object.keys(answer ?? {}).some((name) => !["totalCount", "skipped"].includes(name));

const time = "2026-01-28T12:54:21.189Z";
const later = "2026-02-04T12:54:21.189Z";

/**
 * Values that only the creator of a resource can know, or that differ in every run, by the name of their
 * member.
 */
const ofItsRun: Record<string, string> = {
  token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI0NWEwYzYxZSJ9.c2lnbmF0dXJl",
  code: "x4vVZy0b8sQyK1nJmT7uRg",
  etag: 'W/"1f2e3d4c"',
  keyId: "b0978b9575ccc8ac",
  ecdhPublicKey: "WjBkOGJKN2NWMW1VdVdRM241eTRrcTJUOXNYeFI2cExoRW9GakEwaUJDRA==",
  encryptedIdtoken: "c2VhbGVkIGZvciB0aGUga2V5IGFib3Zl",
};

const longestList = 2;

/** `kept` is the uid of a built-in role, which is the same everywhere. */
function exampleMaker(kept: string): (value: JsonValue) => JsonValue {
  const uids = new Map([[kept, kept]]);
  const uid = (own: string) => {
    const digest = createHash("sha1").update(String(uids.size)).digest("hex");
    const known = uids.get(own) ?? (uids.size === 1 ? sample.organization : digest);
    uids.set(own, known);
    return known.slice(0, own.length);
  };
  const make = (value: JsonValue, name: string): JsonValue => {
    if (Array.isArray(value)) return value.slice(0, longestList).map((one) => make(one, name));
    if (typeof value === "object" && value !== null) {
      const members = Object.entries(value).map(([key, one]) => [key, make(one, key)] as const);
      return withEtag(Object.fromEntries(members), value.etag);
    }
    return typeof value === "string" ? (ofItsRun[name] ?? textOf(value, name, uid)) : value;
  };
  return (value) => make(value, "");
}

/** The etag of a resource contains its uid and its update time, so it follows from those of the example. */
function withEtag(example: JsonObject, etag: JsonValue | undefined): JsonObject {
  const [, kind] = /^"(\w+)-/.exec(String(etag)) ?? [];
  if (kind === undefined) return example;
  return { ...example, etag: exampleEtag(kind, String(example.uid), String(example.updateTime)) };
}

function textOf(text: string, name: string, uid: (own: string) => string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return /expir/i.test(name) ? later : time;
  return text
    .replaceAll(baseUrl(), "https://api.example.com")
    .replaceAll("http://localhost:8787", "https://api.example.com")
    .replace(/https?:\/\/(?:localhost|127\.0\.0\.1):\d+/g, "https://idp.example.com")
    .replace(/(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/g, uid)
    .replace(/(?<=\/)[0-9a-f]{16}(?![0-9a-f])/g, uid)
    .replace(/-[0-9a-f]{12}(?![0-9a-f])/g, "")
    .replace(/CVE-2026-\d{5,}/g, "CVE-2026-1234")
    .replace(/(?<=VENDOR)(?:-[0-9a-z]{4}){3}/g, "-5233-33v8-rxhh");
}
