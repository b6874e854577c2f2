/** Deliveries of a real platform: the client's receiver in Node verifies the signature and the token of each. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeListener } from "platform-api/client/node";
import {
  type WebhookEvent,
  type WebhookOptions,
  webhookHandler,
} from "platform-api/client/webhooks";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Sending, startSending } from "../../events/deliveries/sending.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The configured address of the issuer. The platform under test has another one. */
const issuer = "http://localhost:8787";
const reach: typeof fetch = (input, init) =>
  fetch(String(input).replace(issuer, platform.origin), init);

/** Starts a receiver, and subscribes it to an organization. `use` replaces its options. */
async function receive(options: (secret: string, group: string) => WebhookOptions) {
  const events: WebhookEvent[] = [];
  const errors: unknown[] = [];
  let handle = (_: Request): Promise<Response> => Promise.reject(new Error("not subscribed yet"));
  server = createServer(nodeListener((request) => handle(request)));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const group = await platform.newOrganization();
  const sink = `http://127.0.0.1:${port}/`;
  const { uid, secret } = await platform.subscribe(group, { sink });
  const use = (chosen: WebhookOptions) => {
    const onError = (error: unknown) => errors.push(error);
    handle = webhookHandler({ ...chosen, onError }, { "*": (event) => events.push(event) });
  };
  use(options(secret, group));
  return { group, uid, events, errors, use };
}

const ofType = (events: WebhookEvent[], type: WebhookEvent["type"]) =>
  events.filter((event) => event.type === type);

test("events of both versions of the API are accepted, with their types and bodies", async () => {
  const { group, events, errors } = await receive((secret, own) => ({
    ...{ secret, issuer, group: own, fetch: reach },
  }));
  const repo = await platform.newRepo(group);
  const digest = `sha256:${"a".repeat(64)}`;
  const { etag: _, ...tag } = await platform.done(`/registry/v2/tags/${repo}`, {
    name: "latest",
    digest,
  });
  await platform.done(`/registry/v1/tags/${tag.uid}`, { name: "latest", deprecated: true }, "PUT");
  const changed = () => ofType(events, "api.platform.registry.tag.updated.v1");
  await expect.poll(() => changed().length).toBeGreaterThan(0);
  const [created] = ofType(events, "api.platform.registry.tag.created.v1");
  expect(created).toMatchObject({
    ...{ subject: tag.uid, group, bodyType: "platform.registry.v2.Tag", body: tag },
    actor: { subject: platform.owner },
    source: `${issuer}/registry/v2/tags`,
  });
  const [updated] = changed();
  expect(updated).toMatchObject({
    ...{ subject: tag.uid, bodyType: "platform.registry.Tag" },
    body: { id: tag.uid, name: "latest", digest, deprecated: true },
  });
  expect(errors).toEqual([]);
});

test("events are accepted by the token alone, and refused with the group of another subscription", async () => {
  const accepted = await receive((_, group) => ({ issuer, group, fetch: reach }));
  await platform.newRepo(accepted.group);
  await expect.poll(() => accepted.events.length).toBeGreaterThan(0);
  expect(accepted.errors).toEqual([]);
  server?.close();
  const refused = await receive(() => ({ issuer, group: accepted.group, fetch: reach }));
  await platform.newRepo(refused.group);
  await expect.poll(() => refused.errors.length).toBeGreaterThan(0);
  expect(refused.errors[0]).toMatchObject({ status: 403, reason: "TOKEN_FOR_OTHER_GROUP" });
  expect(refused.events).toEqual([]);
});

test("during a rotation, the old secret and the new one both verify, and afterwards only the new one", async () => {
  const { group, uid, events, errors, use } = await receive((secret) => ({ secret }));
  const at = `/events/v2/subscriptions/${uid}:rotateSecret`;
  const { secret: next } = await platform.done(at, {});
  const newTag = async (repo: string, name: string) => {
    const digest = `sha256:${"b".repeat(64)}`;
    const { uid: tag } = await platform.done(`/registry/v2/tags/${repo}`, { name, digest });
    return () => events.some(({ subject }) => subject === tag);
  };
  const repo = await platform.newRepo(group);
  await expect.poll(await newTag(repo, "by-the-old")).toBe(true);
  use({ secret: next });
  await expect.poll(await newTag(repo, "by-the-new")).toBe(true);
  expect(errors).toEqual([]);
  await platform.done(at, { overlap: "0s" });
  await newTag(repo, "by-the-newest");
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(errors[0]).toMatchObject({ status: 403, reason: "SIGNATURE_INVALID" });
});
