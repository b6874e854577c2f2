/** How much a request writes: the rows, and the bytes by which the database grows. */
import type { JsonObject } from "@bufbuild/protobuf";
import { restCall } from "../../contract/callers.ts";
import { notOverRest, rpcOf } from "../../contract/rpcs.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { costOf } from "../../world/server_timing.ts";

export type Registry = Awaited<ReturnType<typeof startOwnRegistry>>;
export type Owner = Awaited<ReturnType<Registry["newOwner"]>>;

export interface Written {
  status: number;
  text: string;
  /** The bytes of the body. */
  sent: number;
  /** The bytes by which the database grew, in whole pages. */
  grown: number;
  rows: number;
}

export const startMeasuring = () => startOwnRegistry({ bindings: { METER: "true" } });

async function sizeOf({ db }: Registry): Promise<number> {
  const { meta } = await db.prepare("select 1").all();
  return meta.size_after;
}

/** Sends a request, and measures what it writes until its work after the response is done. */
export async function measured(
  registry: Registry,
  path: string,
  token: string,
  {
    method = "POST",
    body,
    type = "application/json",
  }: { method?: string; body: string; type?: string },
): Promise<Written> {
  const before = await sizeOf(registry);
  const answer = await fetch(`${registry.origin}${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${token}`, "content-type": type },
  });
  const text = await answer.text();
  const { rowsWritten: rows } = costOf(answer.headers.get("server-timing") ?? "");
  const grown = (await sizeOf(registry)) - before;
  return { status: answer.status, text, sent: Buffer.byteLength(body), grown, rows };
}

/** Calls an RPC and measures what it writes. */
export function measuredRpc(
  registry: Registry,
  token: string,
  name: string,
  request: JsonObject,
): Promise<Written> {
  const rpc = rpcOf(name);
  if (notOverRest.includes(name)) {
    const path = `/${rpc.method.parent.typeName}/${rpc.method.name}`;
    return measured(registry, path, token, { body: JSON.stringify(request) });
  }
  const { path, asked } = restCall(rpc, request);
  return measured(registry, path, token, {
    method: asked.method,
    body: JSON.stringify(asked.body ?? {}),
  });
}
