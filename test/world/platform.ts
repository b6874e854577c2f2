/** The platform from the point of view of a test: calls, tokens and SQL. */

import type { DescService } from "@bufbuild/protobuf";
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { type Dispatcher, request } from "undici";
import { inject } from "vitest";
import { sample } from "../../schema/openapi/sample.ts";
import type { Meter } from "../../src/rpc/session.ts";
import { databaseAt } from "./databases.ts";
import { costOf as readCost } from "./server_timing.ts";

/** The settings of the development platform in wrangler.toml. */
export const audience = "http://localhost:8787";
export const issuer = "http://localhost:8787";
export const registryAudience = "localhost:8787";
export const vendor = "vendor";

/** The id of the requests that tests send, so that responses can be compared. */
export const requestId = sample.requestId;

/** The last detail of the errors of these requests. */
export const requestInfo = {
  "@type": "type.googleapis.com/google.rpc.RequestInfo",
  requestId,
};

export const baseUrl = () => inject("baseUrl");

/** A token of our issuer for an identity. `claims` override its claims, and the lifetime is in seconds. */
export async function tokenFor(
  identity: string,
  claims: JWTPayload & { scopes?: string[]; capabilities?: number[] } = {},
  lifetime = 600,
): Promise<string> {
  const [key] = (JSON.parse(inject("signingKeys")) as { keys: JWK[] }).keys;
  if (!key) throw new Error("no signing key");
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: issuer,
    sub: identity,
    aud: audience,
    iat: now,
    exp: now + lifetime,
    ...claims,
  })
    .setProtectedHeader({ alg: "ES256", kid: key.kid ?? "" })
    .sign(await importJWK(key, "ES256"));
}

/** A response over REST with its parsed JSON. `body` is undefined if there is none. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
}

export interface RequestOptions {
  method?: string;
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Makes one REST call. A string body is sent unchanged, and anything else as JSON. */
export async function callRest(path: string, asked: RequestOptions = {}): Promise<Answer> {
  const { method = asked.body === undefined ? "GET" : "POST", token, body } = asked;
  const headers = {
    "x-request-id": requestId,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...asked.headers,
  };
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const response = await request(`${baseUrl()}${path}`, {
    method: method as Dispatcher.HttpMethod,
    headers,
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: headersOf(response.headers),
    body: text === "" ? undefined : parsed(text),
  };
}

function headersOf(received: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const withToken =
  (token: string | undefined): Interceptor =>
  (next) =>
  (request) => {
    if (!request.header.has("x-request-id")) request.header.set("x-request-id", requestId);
    if (token) request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };

/** The transports that browsers can use. Native gRPC goes through the bridge (test/cli). */
export function transports(
  token?: string,
): Record<"connect" | "connectJson" | "grpcWeb", Transport> {
  const options = { baseUrl: baseUrl(), interceptors: [withToken(token)] };
  return {
    connect: createConnectTransport({ ...options, useBinaryFormat: true }),
    connectJson: createConnectTransport(options),
    grpcWeb: createGrpcWebTransport(options),
  };
}

/** A Connect client of a service with a bearer token. */
export const clientOf = <S extends DescService>(service: S, token?: string) =>
  createClient(service, transports(token).connect);

/** Runs one SQL statement on the platform's D1. */
export async function sql<Row = Record<string, unknown>>(
  query: string,
  ...values: unknown[]
): Promise<Row[]> {
  const statement = databaseAt(inject("sqlUrl")).prepare(query);
  return (await statement.bind(...values).all<Row>()).results;
}

/** The D1 cost of a call. Not a number if the call failed before it was counted. */
export function costOf({ headers }: Pick<Answer, "headers">): Meter {
  const text = headers.get("server-timing");
  if (text !== null) return readCost(text);
  return { roundTrips: Number.NaN, rowsRead: Number.NaN, rowsWritten: Number.NaN };
}
