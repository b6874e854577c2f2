/** The part of a change that follows from its RPC, so that only the rest is written by hand. */
import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { isEmptyUnlessValidating } from "../../schema/describe/protos.ts";
import { Audience } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { deleteOf, type EventChange } from "./changes/change.ts";
import { type Fixtures, targetUid } from "./fixtures.ts";
import type { ContractRpc } from "./rpcs.ts";
import { creates, creation, makeStandard, resourceIn } from "./standard.ts";

interface Answer {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

interface Operation {
  responses?: Record<string, Answer>;
  "x-grpc"?: string;
}

/** The event of an RPC, unless its change overrides it. */
export function eventOf({ event, method, template }: ContractRpc) {
  const isEmpty =
    method.output.typeName === "google.protobuf.Empty" || isEmptyUnlessValidating(method);
  const body = isEmpty ? "request" : "answer";
  return {
    type: event?.type ?? "",
    source: template.replace(/\/?\{.*$/, ""),
    group: "parent",
    body,
    bodyType: (body === "answer" ? method.output : method.input).typeName,
    ...(event?.audience === Audience.INTERNAL ? { audience: "internal" as const } : {}),
  } satisfies Partial<EventChange>;
}

const document = JSON.parse(
  readFileSync(new URL("../../schema/gen/openapi.json", import.meta.url), "utf8"),
);

/** Whether a response in the document has that example. */
function hasExample({ $ref = "", content }: Answer, name: string): boolean {
  const shared = document.components.responses[$ref.replace(/^.*\//, "")];
  return name in ((content ?? shared?.content)?.["application/json"]?.examples ?? {});
}

/** The names of the RPCs that refuse an existing resource, according to the OpenAPI document. */
const refusing = new Set(
  Object.values(document.paths as Record<string, Record<string, Operation>>)
    .flatMap((path) => Object.values(path))
    .filter(({ responses = {} }) => hasExample(responses[409] ?? {}, "ALREADY_EXISTS"))
    .map((operation) => operation["x-grpc"]),
);

const isUnique = ({ method }: ContractRpc) =>
  refusing.has(`${method.parent.typeName}/${method.name}`);

/** The change by an RPC of a standard resource. */
export function standardChange(
  rpc: ContractRpc,
): Pick<EventChange, "prepare" | "conflict"> | undefined {
  const service = rpc.method.parent.name;
  const create = rpc.isV1 ? undefined : creates.get(service);
  if (!create) return undefined;
  const make = (fixtures: Fixtures) =>
    makeStandard(service, targetUid(create, fixtures), fixtures.token);
  if (rpc === create) {
    return {
      prepare: (fixtures) => ({ request: creation(service, targetUid(create, fixtures))[1] }),
      ...(isUnique(rpc) && {
        async conflict(fixtures: Fixtures) {
          const { name } = await make(fixtures);
          return creation(service, targetUid(create, fixtures), { name })[1];
        },
      }),
    };
  }
  const field = resourceIn(rpc);
  if (field && rpc.method.name.startsWith("Update")) {
    const to = (uid: string, more: JsonObject) => ({ [field.jsonName]: { uid, ...more } });
    return {
      prepare: async (fixtures) => ({
        request: to((await make(fixtures)).uid, { description: "changed" }),
      }),
      ...(isUnique(rpc) && {
        async conflict(fixtures: Fixtures) {
          const [one, other] = [await make(fixtures), await make(fixtures)];
          return to(one.uid, { name: other.name });
        },
      }),
    };
  }
  if (!rpc.method.name.startsWith("Delete")) return undefined;
  return { prepare: async (fixtures) => deleteOf((await make(fixtures)).uid) };
}
