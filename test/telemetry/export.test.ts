/** The spans that a platform exports, and the trace in the requests that it sends. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { discoveryPath, keysPath, startIssuer } from "../auth/oidc_issuer.ts";
import { digestOf, send, someBytes } from "../distribution/client.ts";
import { startOwnRegistry } from "../distribution/own_registry.ts";
import { type Sending, startSending } from "../events/deliveries/sending.ts";
import { audience } from "../world/platform.ts";
import { startSink } from "../world/sink.ts";
import { attributesOf, type Collector, startCollector } from "./collector.ts";

let collector: Collector;
let platform: Sending;
beforeAll(async () => {
  collector = await startCollector();
  platform = await startSending({
    OTLP_URL: `${collector.url}/v1/traces`,
    OTLP_HEADERS: "x-team=plat%2Cform",
    TRACE_SHARE: "1",
  });
});
afterAll(async () => {
  await platform?.close();
  await collector?.close();
});

const traceOf = (name: string) => createHash("sha256").update(name).digest("hex").slice(0, 32);
const callerSpan = "00f067aa0ba902b7";
const secret = "a-name-that-no-span-may-have";

const create = (headers: Record<string, string>, parent: string) =>
  fetch(`${platform.origin}/iam/v2/groups/${parent}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.token}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify({ name: secret }),
  });

test("a request is a span below that of its caller, and its work is below it", async () => {
  const organization = await platform.newOrganization();
  const traceId = traceOf("a request");
  const traceparent = `00-${traceId}-${callerSpan}-01`;
  const answer = await create({ traceparent, tracestate: "rojo=1" }, organization);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-request-id")).toBe(traceId);
  const spans = await collector.spansOf(traceId);
  const own = spans.find(({ kind }) => kind === 2);
  expect(own).toMatchObject({
    name: "platform.iam.v2.GroupsService/CreateGroup",
    parentSpanId: callerSpan,
    status: {},
  });
  expect(attributesOf(own ?? { attributes: [] })).toMatchObject({
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "platform.class": "write",
    "platform.code": "OK",
    "platform.caller": platform.owner,
    "platform.request_id": traceId,
  });
  const children = spans.filter((span) => span !== own);
  for (const child of children) expect(child.parentSpanId).toBe(own?.spanId);
  expect(children.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["token check", "D1 batch"]),
  );
  const summaries = children.map((child) => attributesOf(child)["db.query.summary"]);
  expect(summaries.join("; ")).toContain("insert groups");
  expect(summaries.join("; ")).toContain("insert events");
  for (const { startTimeUnixNano, endTimeUnixNano, spanId } of spans) {
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  }
  const received = collector.received.filter(({ body }) => body.includes(traceId));
  expect(received).toHaveLength(1);
  expect(received[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "x-team": "plat,form",
  });
  const values = [secret, platform.token, "authorization", "rojo"];
  for (const value of values) expect(received[0]?.body).not.toContain(value);
});

test("a delivery belongs to the trace of the request that caused the event", async () => {
  const sink = await startSink();
  const organization = await platform.newOrganization();
  await platform.subscribe(organization, { sink: sink.url });
  const traceId = traceOf("a delivery");
  const traceparent = `00-${traceId}-${callerSpan}-01`;
  await create({ traceparent, tracestate: "rojo=1", "x-request-id": "build-17" }, organization);
  const ours = () => sink.received.filter(({ body }) => body.includes(secret));
  await sink.until(() => ours().length === 1);
  const headers = ours()[0]?.headers ?? {};
  expect(headers.tracestate).toBe("rojo=1");
  const [, cause = ""] = /^00-\w+-(\w+)-01$/.exec(String(headers["original-traceparent"])) ?? [];
  const [, attempt = ""] = /^00-\w+-(\w+)-01$/.exec(String(headers.traceparent)) ?? [];
  expect(headers.traceparent).toContain(traceId);
  expect(headers["original-traceparent"]).toContain(traceId);
  await expect
    .poll(async () => (await collector.spansOf(traceId)).map(({ name }) => name))
    .toContain("deliver event");
  const spans = await collector.spansOf(traceId);
  expect(spans.find(({ kind }) => kind === 2)?.spanId).toBe(cause);
  expect(spans.find(({ name }) => name === "deliver event")).toMatchObject({
    spanId: attempt,
    parentSpanId: cause,
  });
  await sink.close();
});

test("the requests to an issuer belong to the trace of the exchange that needs its keys", async () => {
  const issuer = await startIssuer();
  const organization = await platform.newOrganization();
  const identity = { name: "job", claimMatch: { issuer: issuer.url, subject: "job" } };
  const created = await fetch(`${platform.origin}/iam/v2/identities/${organization}`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.token}`, "content-type": "application/json" },
    body: JSON.stringify(identity),
  });
  expect(created.status).toBe(200);
  const traceId = traceOf("an exchange");
  const exchanged = await fetch(`${platform.origin}/sts/exchange?aud=${audience}`, {
    headers: {
      authorization: `Bearer ${await issuer.sign("job")}`,
      ...{ traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: "rojo=1" },
    },
  });
  expect(exchanged.status).toBe(200);
  expect(issuer.log).toEqual([discoveryPath, keysPath]);
  const fetches = (await collector.spansOf(traceId)).filter(
    ({ name }) => name === "fetch of an issuer",
  );
  const parents = fetches.map(({ spanId }) => `00-${traceId}-${spanId}-01`);
  expect(issuer.headers.map(({ traceparent }) => traceparent).sort()).toEqual(parents.sort());
  expect(issuer.headers.map(({ tracestate }) => tracestate)).toEqual(["rojo=1", "rojo=1"]);
  await issuer.close();
});

test("the id of a request without another is that of its trace, also in its event", async () => {
  const sink = await startSink();
  const organization = await platform.newOrganization();
  await platform.subscribe(organization, { sink: sink.url });
  const traceId = (await create({}, organization)).headers.get("x-request-id") ?? "";
  const ours = () => sink.received.filter(({ body }) => body.includes(secret));
  await sink.until(() => ours().length === 1);
  const headers = ours()[0]?.headers ?? {};
  expect(headers).toMatchObject({
    "ce-requestid": traceId,
    "original-traceparent": `00-${traceId}-${traceId.slice(16)}-01`,
    traceparent: expect.stringContaining(traceId),
  });
  expect(headers).not.toHaveProperty("ce-traceparent");
  const [own] = (await collector.spansOf(traceId)).filter(({ kind }) => kind === 2);
  expect(own?.spanId).toBe(traceId.slice(16));
  await sink.close();
});

test.each([
  ["a traceparent of another form", { traceparent: "not-a-trace" }],
  ["two traceparents", { traceparent: `00-${traceOf("x")}-${callerSpan}-01, 00-1-2-01` }],
  ["a trace of zeros", { traceparent: `00-${"0".repeat(32)}-${callerSpan}-01` }],
  ["a tracestate without a traceparent", { tracestate: "rojo=1" }],
  [
    "a long tracestate",
    {
      traceparent: `00-${traceOf("long")}-${callerSpan}-01`,
      tracestate: `rojo=${"a".repeat(4_000)}`,
    },
  ],
])("%s changes nothing", async (name, headers) => {
  const organization = await platform.newOrganization();
  const answer = await create(headers, organization);
  expect(answer.status).toBe(200);
  const requestId = answer.headers.get("x-request-id") ?? "";
  expect(requestId).toMatch(/^[0-9a-f]{32}$/);
  if (name !== "a long tracestate") expect(requestId).not.toBe(traceOf("x"));
  const rows = await platform.sql(
    "select extensions from events where request_id = ? order by seq",
    requestId,
  );
  expect(rows).toHaveLength(1);
  for (const { extensions } of rows) {
    expect(extensions).not.toContain("rojo");
    expect(String(extensions).length).toBeLessThan(200);
  }
});

test("a push and a pull have spans for R2", async () => {
  const registry = await startOwnRegistry({
    bindings: { OTLP_URL: `${collector.url}/v1/traces`, TRACE_SHARE: "1" },
  });
  const target = await registry.newTarget();
  const bytes = someBytes(1_000);
  const headersOf = (name: string) => ({ traceparent: `00-${traceOf(name)}-${callerSpan}-01` });
  const upload = `blobs/uploads/?digest=${digestOf(bytes)}`;
  const headers = { ...headersOf("a push"), "content-type": "application/octet-stream" };
  expect((await send(target, upload, { method: "POST", body: bytes, headers })).status).toBe(201);
  const pulled = await send(target, `blobs/${digestOf(bytes)}`, { headers: headersOf("a pull") });
  expect(pulled.status).toBe(200);
  await pulled.arrayBuffer();
  const push = await collector.spansOf(traceOf("a push"));
  expect(push.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["R2 put", "D1 batch", "token check", "push upload"]),
  );
  const pull = await collector.spansOf(traceOf("a pull"));
  expect(pull.map(({ name }) => name)).toEqual(expect.arrayContaining(["R2 get", "pull blob"]));
  await registry.stop();
});
