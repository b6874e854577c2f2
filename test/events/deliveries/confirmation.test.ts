/** A sink confirms that it wants events before it gets any. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { webhookHandler } from "../../../client/webhooks.ts";
import { randomUid } from "../../world/personas.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());

interface Arrived {
  method: string;
  type: string;
  isSigned: boolean;
}

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** A server that keeps what arrives, and responds to each request with a status and headers. */
async function startHost(
  respond: (arrived: Arrived, request: IncomingMessage, body: string) => [number, object?],
) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", headers } = request;
    const one = {
      method,
      type: String(headers["ce-type"] ?? "").replace(/^dev\.vendor\.api\./, ""),
      isSigned: "webhook-signature" in headers && "authorization" in headers,
    };
    arrived.push(one);
    const [status, more = {}] = respond(one, request, body);
    response.writeHead(status, { ...more }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrived };
}

type Shown = { confirmTime?: string; disabled: boolean; disableReason?: string };
const at = "/events/v2/subscriptions";
const read = async (uid: string): Promise<Shown> => (await platform.call(`${at}/${uid}`)).body;

/** A subscription that must be confirmed. Sinks on this machine are not asked, so the row says what others say. */
async function subscribeUnconfirmed(sink: string, failures = 0) {
  const organization = await platform.newOrganization();
  const { uid, secret } = await platform.subscribe(organization, { sink, disabled: true });
  await platform.sql(
    "update subscriptions set confirm_time = null, confirm_due_time = 1, confirm_failures = ?, disable_time = null where uid = ?",
    failures,
    uid,
  );
  const repo = await platform.newRepo(organization);
  return { uid, secret, repo, organization };
}
const hasConfirmed = async (uid: string) =>
  expect.poll(async () => (await read(uid)).confirmTime).toEqual(expect.any(String));
const isGivenUp = async (uid: string) =>
  expect.poll(async () => (await read(uid)).disabled, { timeout: 20_000 }).toBe(true);
const kinds = (arrived: Arrived[]) =>
  arrived.map(({ method, type, isSigned }) => `${method} ${type} ${isSigned ? "signed" : ""}`);
const created = "POST platform.registry.repo.created.v1 signed";

test("by the handshake of CloudEvents, and then gets what has happened since", async () => {
  let origin: string | undefined;
  const host = await startHost(({ method }, { headers }) => {
    if (method !== "OPTIONS") return [200];
    origin = String(headers["webhook-request-origin"]);
    return [200, { "webhook-allowed-origin": origin, "webhook-allowed-rate": "*" }];
  });
  const { uid } = await subscribeUnconfirmed(host.url);
  await hasConfirmed(uid);
  expect(origin).toBe("localhost");
  await expect.poll(() => kinds(host.arrived).includes(created)).toBe(true);
  expect(host.arrived[0]?.method).toBe("OPTIONS");
  expect(host.arrived.filter(({ type }) => type.endsWith("tested.v1"))).toEqual([]);
});

test("by refusing an event without its credentials, as the contract's receiver does", async () => {
  let secret = "";
  const host = await startHost(({ method, isSigned }, { headers }, body) => {
    if (method !== "POST") return [405];
    if (!isSigned) return [401];
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return [200];
  });
  const subscribed = await subscribeUnconfirmed(host.url);
  secret = subscribed.secret;
  await hasConfirmed(subscribed.uid);
  await expect.poll(() => kinds(host.arrived).includes(created)).toBe(true);
  expect(kinds(host.arrived).slice(0, 3)).toEqual([
    "OPTIONS  ",
    "POST events.subscription.tested.v1 ",
    "POST events.subscription.tested.v1 signed",
  ]);
});

test("by the handler of the client, as it is", async () => {
  let secret = "";
  const subjects: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", headers } = request;
    const hasBody = method === "POST";
    const handle = webhookHandler(
      { secret },
      { "*": ({ type, subject }) => void (/repo/.test(type) && subjects.push(subject)) },
    );
    const answer = await handle(
      new Request("http://localhost/", {
        ...{ method, headers: headers as Record<string, string> },
        ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  const { port } = server.address() as AddressInfo;
  const subscribed = await subscribeUnconfirmed(`http://127.0.0.1:${port}/`);
  secret = subscribed.secret;
  await expect
    .poll(async () => (await read(subscribed.uid)).confirmTime, { timeout: 30_000 })
    .toEqual(expect.any(String));
  await expect.poll(() => subjects).toEqual([subscribed.repo]);
});

test.each<[string, (one: Arrived) => [number, object?], RegExp, number]>([
  ["accepts everything", () => [200], /responded with 200 to an event without/, 2],
  ["refuses everything", () => [403], /responded with 403 to a signed event/, 3],
  ["has nothing there", () => [404], /responded with 404 to an event without/, 2],
  [
    "allows another platform",
    ({ method }) =>
      method === "OPTIONS" ? [200, { "webhook-allowed-origin": "a.example" }] : [200],
    /responded with 200 to an event without/,
    2,
  ],
  [
    "names the platform in an error",
    ({ method }) => (method === "OPTIONS" ? [404, { "webhook-allowed-origin": "*" }] : [200]),
    /responded with 200 to an event without/,
    2,
  ],
])(
  "not by a host that %s: it gets no event, and the subscription is disabled at last",
  async (_, respond, reason, requests) => {
    const host = await startHost(respond);
    const { uid, organization } = await subscribeUnconfirmed(host.url, 4);
    await isGivenUp(uid);
    expect(await read(uid)).toMatchObject({ disableReason: expect.stringMatching(reason) });
    expect(await read(uid)).not.toHaveProperty("confirmTime");
    await platform.newRepo(organization);
    expect(host.arrived).toHaveLength(requests);
    const types = await platform.sql("select type from events where subject = ?", uid);
    expect(types.map(({ type }) => type)).toContain(
      "dev.vendor.api.events.subscription.disabled.v1",
    );
  },
);

test("later, when it is asked again because the subscription was enabled", async () => {
  let isReady = false;
  const host = await startHost(() => [200, isReady ? { "webhook-allowed-origin": "*" } : {}]);
  const { uid, organization } = await subscribeUnconfirmed(host.url, 4);
  await isGivenUp(uid);
  isReady = true;
  await platform.call(`${at}/${uid}`, { disabled: false }, "PATCH");
  await hasConfirmed(uid);
  await platform.newRepo(organization);
  await expect.poll(() => kinds(host.arrived).includes(created)).toBe(true);
});

test("again after each failure, with pauses", async () => {
  const host = await startHost(() => [404]);
  const { uid } = await subscribeUnconfirmed(host.url);
  const row = async () =>
    (
      await platform.sql(
        "select confirm_failures, confirm_due_time - ? as pause from subscriptions where uid = ?",
        Date.now(),
        uid,
      )
    )[0];
  await expect.poll(async () => (await row())?.confirm_failures).toBe(1);
  expect((await row())?.pause).toBeGreaterThan(1_000);
  expect((await row())?.pause).toBeLessThanOrEqual(10_000);
  expect((await read(uid)).disabled).toBe(false);
  expect(host.arrived).toHaveLength(2);
});

test("by its own organization's turn, however many sinks of another one have waited for longer", async () => {
  const order: string[] = [];
  const [crowd, host] = await Promise.all(
    ["crowd", "host"].map((name) =>
      startHost(({ method }) => {
        if (method === "OPTIONS") order.push(name);
        return [404];
      }),
    ),
  );
  const crowded = await platform.newOrganization();
  const organization = await platform.newOrganization();
  const rows = Array.from({ length: 31 }, (_, at) => ({
    uid: `${at === 0 ? organization : crowded}/${randomUid().slice(0, 16)}`,
    sink: at === 0 ? host?.url : `${crowd?.url}${at}`,
    due: at === 0 ? 2 : 1,
  }));
  await platform.sql(
    `insert into subscriptions (uid, sink, confirm_due_time, create_time, update_time)
     select value ->> 'uid', value ->> 'sink', value ->> 'due', 1, 1 from json_each(?)`,
    JSON.stringify(rows),
  );
  await platform.newRepo(organization);
  await expect.poll(() => order.length).toBeGreaterThanOrEqual(rows.length);
  expect(order.indexOf("host")).toBeLessThan(6);
});
