/** Calls RPCs by name, for commands that are generated from the catalog. */

import { operations } from "../../client/gen/operations.ts";
import type { CallOptions, Listing } from "../../client/index.ts";
import { toHttp } from "../../client/request.ts";
import { type Client, openClient } from "../account/client.ts";
import { type Account, findAccount } from "../account/credentials.ts";
import { toFailure, usageFailure } from "../failure.ts";
import type { JsonObject } from "./flags.ts";

/**
 * Rows of a List, the total number of matches, and whether there are more rows. The total is undefined if the List does not
 * count.
 */
export type ListedRows = { rows: JsonObject[]; total: number | undefined; more: boolean };

/** A platform, called from an account. */
export type PlatformClient = {
  url: string;
  account: Account;
  /** Calls an RPC. Throws a Failure. */
  call(rpc: string, request: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** Returns the rows of a List across its pages, up to a limit. Throws a Failure. */
  rows(rpc: string, request: JsonObject, limit: number): Promise<JsonObject[]>;
  /** Returns all rows of a List, a page at a time. Throws a Failure. */
  pages(rpc: string, request: JsonObject): AsyncGenerator<JsonObject[]>;
  /** Returns the same rows, and the total number of matches. */
  list(rpc: string, request: JsonObject, limit: number): Promise<ListedRows>;
};

/** The most rows of a response. */
export const maxPageSize = 200;

type Key = keyof typeof operations;
type List = (request: JsonObject) => Listing<JsonObject>;

const keys = new Map(
  Object.entries(operations).map(([key, { rpc }]) => [rpc as string, key as Key]),
);

/** Returns the client's name for an RPC. */
export function keyOf(rpc: string): Key {
  const key = keys.get(rpc);
  if (!key) throw new Error(`the client has no ${rpc}`);
  return key;
}

/**
 * Returns the HTTP request of a call, for `--dry-run`. Throws a USAGE Failure if the RPC does not accept the request.
 */
export function toWireRequest(
  { url }: PlatformClient,
  rpc: string,
  request: JsonObject,
): WireRequest {
  const sent = checkedRequest(() => toHttp(operations[keyOf(rpc)], request, url));
  const body = sent.body === undefined ? {} : { body: JSON.parse(sent.body) as unknown };
  return { method: sent.method, url: sent.url, ...body };
}

function checkedRequest<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw usageFailure(error.message);
    throw error;
  }
}

/** An HTTP request with its body parsed. */
export type WireRequest = { method: string; url: string; body?: unknown };

/** Returns the platform that commands call, with the account of credentials.ts. */
export async function openPlatform(): Promise<PlatformClient> {
  const account = await findAccount();
  return platformOf(openClient(account), account);
}

/** Returns the platform of a client that uses this account. */
export function platformOf(client: Client, account: Account): PlatformClient {
  const withFailure = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toFailure(error, account.url);
    });
  const list: PlatformClient["list"] = (rpc, request, limit) =>
    withFailure(rowsOf(client, rpc, request, limit));
  return {
    url: account.url,
    account,
    list,
    call: (rpc, request, options) => withFailure(client.call(keyOf(rpc), request, options)),
    rows: async (rpc, request, limit) => (await list(rpc, request, limit)).rows,
    async *pages(rpc, request) {
      try {
        for await (const page of listingOf(client, rpc, request, maxPageSize).pages())
          yield page.rows;
      } catch (error) {
        throw toFailure(error, account.url);
      }
    },
  };
}

/**
 * Returns the responses of a method with pages one after another, for commands that need more of them than the rows.
 * Throws a Failure.
 */
export async function* responsesOf(
  { call }: PlatformClient,
  rpc: string,
  request: JsonObject,
): AsyncGenerator<JsonObject> {
  let asked = request;
  for (;;) {
    const response = await call(rpc, asked);
    yield response;
    if (!response.nextPageToken) return;
    // The page token already accounts for the skipped rows.
    const { skip: _, ...others } = asked;
    asked = { ...others, pageToken: response.nextPageToken };
  }
}

async function rowsOf(
  client: Client,
  rpc: string,
  request: JsonObject,
  limit: number,
): Promise<ListedRows> {
  const size = Math.min(Number(request.pageSize ?? maxPageSize), limit);
  const rows: JsonObject[] = [];
  let total: number | undefined;
  let more = false;
  for await (const page of listingOf(client, rpc, request, size).pages()) {
    rows.push(...page.rows);
    total ??= page.totalCount;
    more = page.nextPageToken !== undefined;
    if (rows.length >= limit) break;
  }
  return { rows: rows.slice(0, limit), total, more: more || rows.length > limit };
}

function listingOf(client: Client, rpc: string, request: JsonObject, pageSize: number) {
  const [resource = "", method = ""] = keyOf(rpc).split(".");
  const methods = client[resource as keyof Client] as unknown as Record<string, List>;
  // biome-ignore lint/style/noNonNullAssertion: every RPC of the table has its method
  return methods[method]!({ ...request, pageSize });
}
