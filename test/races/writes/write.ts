/** One write of the contract, about rows of the world. */
import type { JsonObject } from "@bufbuild/protobuf";
import { restCall } from "../../contract/callers.ts";
import { notOverRest, rpcOf } from "../../contract/rpcs.ts";
import type { HttpCall } from "../protocol.ts";
import type { RaceWorld } from "../world.ts";

export interface Write {
  /** The RPC, and the particular case of the call. */
  name: string;
  /** The RPC, if the write is one. */
  rpc?: string;
  call(world: RaceWorld, token: string): HttpCall;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const withToken = (
  method: string,
  path: string,
  token: string,
  body?: object,
  contentType = "application/json",
): HttpCall => ({
  ...{ method, path },
  headers: { ...bearer(token), ...(body ? { "content-type": contentType } : {}) },
  ...(body ? { body: JSON.stringify(body) } : {}),
});

/** The writes of one RPC: the requests, by their particular cases. */
export function writesOf(
  rpc: string,
  requests: Record<string, (world: RaceWorld, caller: string) => JsonObject>,
  as?: (world: RaceWorld) => string,
): Write[] {
  const found = rpcOf(rpc);
  return Object.entries(requests).map(([special, request]) => ({
    name: `${rpc} ${special}`,
    rpc,
    call(world, caller) {
      const token = as?.(world) ?? caller;
      const asked = request(world, caller);
      if (notOverRest.includes(rpc)) {
        const path = `/${found.method.parent.typeName}/${found.method.name}`;
        return withToken("POST", path, token, asked);
      }
      const { path, asked: rest } = restCall(found, asked);
      return withToken(rest.method, path, token, rest.body as object | undefined);
    },
  }));
}
