/** Sends one HTTP request exactly as written: no client normalizes its path or its headers. */
import { request as send } from "node:http";
import { baseUrl, requestId } from "../world/platform.ts";

export interface RawCall {
  method?: string;
  /** The request target, which is sent unchanged. */
  path: string;
  /** Names and values in order. A name can appear twice. */
  headers?: [string, string][];
  body?: string | Uint8Array;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Sends the request to the platform and reads the whole response. */
export function sendRaw({ method = "GET", path, headers = [], body }: RawCall): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(baseUrl());
  const length = body === undefined ? [] : ["content-length", String(Buffer.byteLength(body))];
  const has = (sought: string) => headers.some(([name]) => name === sought);
  const named = has("host") ? [] : ["host", host];
  const id = has("x-request-id") ? [] : ["x-request-id", requestId];
  return new Promise((resolve, reject) => {
    const asked = send(
      {
        hostname,
        port,
        method,
        path,
        headers: [...named, ...id, ...length, ...headers.flat()] as never,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** A header with a bearer token. */
export const bearerHeader = (token: string): [string, string] => [
  "authorization",
  `Bearer ${token}`,
];

/** Does the work for each item, several at a time. Returns the outcomes in the order of the items. */
export async function mapLimited<Item, Out>(
  items: Item[],
  work: (item: Item) => Promise<Out>,
  width = 8,
): Promise<Out[]> {
  const outcomes: Out[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [at, item] of left) outcomes[at] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return outcomes;
}
