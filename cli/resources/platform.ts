/** Calls by RPC, for commands that are made from the catalog. */

import { operations } from "../../client/gen/operations.ts";
import type { Listing } from "../../client/index.ts";
import { toHttp } from "../../client/request.ts";
import { type Client, openClient } from "../client.ts";
import { type Account, findAccount } from "../credentials.ts";
import { failureOf, usage } from "../failure.ts";
import type { Json } from "./flags.ts";

/** Rows of a List, and how many match in all; undefined where it does not count. */
export type Rows = { rows: Json[]; total: number | undefined };

/** A platform, as somebody. */
export type Platform = {
  url: string;
  account: Account;
  /** Throws a Failure. */
  call(rpc: string, request: Json): Promise<Json>;
  /** Rows of a List, over its pages, up to a limit. Throws a Failure. */
  rows(rpc: string, request: Json, limit: number): Promise<Json[]>;
  /** The same, and how many match in all. */
  list(rpc: string, request: Json, limit: number): Promise<Rows>;
};

const largestPage = 200;

type Key = keyof typeof operations;
type List = (request: Json) => Listing<Json>;

const keys = new Map(
  Object.entries(operations).map(([key, { rpc }]) => [rpc as string, key as Key]),
);

/** The name that the client has for an RPC. */
export function keyOf(rpc: string): Key {
  const key = keys.get(rpc);
  if (!key) throw new Error(`the client has no ${rpc}`);
  return key;
}

/** What a call sends, for `--dry-run`. Throws a USAGE Failure for what the RPC does not take. */
export function wireOf({ url }: Platform, rpc: string, request: Json): Wire {
  const sent = sentBy(() => toHttp(operations[keyOf(rpc)], request, url));
  const body = sent.body === undefined ? {} : { body: JSON.parse(sent.body) as unknown };
  return { method: sent.method, url: sent.url, ...body };
}

function sentBy<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw usage(error.message);
    throw error;
  }
}

/** A request as it is sent, its body read. */
export type Wire = { method: string; url: string; body?: unknown };

/** The platform that commands talk to, as the account of credentials.ts. */
export async function openPlatform(): Promise<Platform> {
  const account = await findAccount();
  return platformOf(openClient(account), account);
}

/** The platform of a client, which is this account's. */
export function platformOf(client: Client, account: Account): Platform {
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw failureOf(error, account.url);
    });
  const list: Platform["list"] = (rpc, request, limit) => told(rowsOf(client, rpc, request, limit));
  return {
    ...{ url: account.url, account, list },
    call: (rpc, request) => told(client.call(keyOf(rpc), request)),
    rows: async (rpc, request, limit) => (await list(rpc, request, limit)).rows,
  };
}

async function rowsOf(client: Client, rpc: string, request: Json, limit: number): Promise<Rows> {
  const [resource = "", method = ""] = keyOf(rpc).split(".");
  const methods = client[resource as keyof Client] as unknown as Record<string, List>;
  const size = Math.min(Number(request.pageSize ?? largestPage), limit);
  const rows: Json[] = [];
  let total: number | undefined;
  // biome-ignore lint/style/noNonNullAssertion: every RPC of the table has its method
  for await (const page of methods[method]!({ ...request, pageSize: size }).pages()) {
    rows.push(...page.rows);
    total ??= page.totalCount;
    if (rows.length >= limit) break;
  }
  return { rows: rows.slice(0, limit), total };
}
