/** A NUL in the description of every resource that has one, in both versions and over every transport. */
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { grpcBridge } from "../../cli/grpc/bridge.ts";
import { newUser } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { Code, callers, overGrpc, violatedFields } from "./callers.ts";
import { setFieldAt } from "./requests.ts";
import { type ContractRpc, classOf, rpcs } from "./rpcs.ts";

let bridge: Http2Server;
let grpc: ReturnType<typeof overGrpc>;
let token: string;
beforeAll(async () => {
  bridge = grpcBridge(new URL(baseUrl())).listen(0, "127.0.0.1");
  await once(bridge, "listening");
  grpc = overGrpc(`127.0.0.1:${(bridge.address() as AddressInfo).port}`);
  token = (await newUser()).token;
});
afterAll(() => {
  grpc.close();
  bridge.close();
});

/** The path of a description in a request. Undefined if it has none. */
function described({ fields }: DescMessage): DescField[] | undefined {
  const isText = ({ name, fieldKind }: DescField) =>
    name === "description" && fieldKind === "scalar";
  const own = fields.find(isText);
  if (own) return [own];
  for (const field of fields) {
    const inner = field.fieldKind === "message" && field.message.fields.find(isText);
    if (inner) return [field, inner];
  }
  return undefined;
}

const cases = rpcs.flatMap((rpc): [string, ContractRpc, DescField[]][] => {
  const path = described(rpc.method.input);
  return path && rpc.verb !== "GET" ? [[rpc.name, rpc, path]] : [];
});

test("both versions have resources with a description", () => {
  for (const isV1 of [true, false]) {
    expect(cases.filter(([, rpc]) => rpc.isV1 === isV1).length).toBeGreaterThan(8);
  }
});

for (const [some, tier] of tiers(cases, ([, rpc]) => classOf(rpc)))
  test.for(some)("%s rejects a description with NUL", tier, async ([_, rpc, path]) => {
    const request = {};
    // An empty path would lead to another RPC.
    if (rpc.scope) setFieldAt(request, rpc.scope, "0".repeat(40));
    setFieldAt(request, path, "a\0b");
    for (const ask of [...Object.values(callers), grpc]) {
      const answer = await ask(rpc, request, token);
      expect(answer.code).toBe(Code.InvalidArgument);
      expect(violatedFields(answer)[0]).toMatch(/description$/);
      expect(answer.text).toContain("contains the character NUL (U+0000)");
    }
  });
