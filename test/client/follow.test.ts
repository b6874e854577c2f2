/** The client follows events over connections that end, break and are refused. */
import type { ServerResponse } from "node:http";
import {
  createClient,
  type Event,
  type FollowOptions,
  type FollowState,
  InvalidArgument,
  PermissionDenied,
  Unauthenticated,
} from "platform-api/client";
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { clientOf } from "./calls.ts";
import {
  closeAtOnce,
  neverAnswer,
  type ScriptedAnswer,
  startScriptedServer,
  statusAnswer,
} from "./scripted_server.ts";

let org: Organization;
beforeAll(async () => {
  org = await newOrganization("follow");
});

const newRepo = async () =>
  (
    await createResource(`/registry/v2/repos/${org.uid}`, org.owner.token, {
      name: randomName("r"),
    })
  ).uid;

/** The subjects of the next events. */
async function take(events: AsyncIterable<Event>, count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { subject } of events) if (found.push(subject) >= count) break;
  return found;
}

const message = (uid: string) =>
  `id: ${uid}\nevent: t\ndata: ${JSON.stringify({ uid, subject: uid })}\n\n`;

/** A stream that contains a text, and then does something else. */
const streamOf =
  (
    text: string,
    then: (response: ServerResponse) => void = (response) => response.end(),
  ): ScriptedAnswer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`retry: 1000\n\n${text}`, () => then(response));
  };
const stayOpen = () => {};
const cut = (response: ServerResponse) => setTimeout(() => response.destroy(), 20);
const errorOf = (code: number) =>
  `event: error\ndata: ${JSON.stringify({ code, message: "no" })}\n\n`;

/** Follows a scripted server. */
async function following(scenes: ScriptedAnswer[], count: number, options: FollowOptions = {}) {
  await using server = await startScriptedServer(...scenes);
  let renewals = 0;
  const token = async () => `token-${renewals++}`;
  const client = createClient({ url: server.url, token, timeout: 2_000 });
  const events = await take(client.follow({}, options), count);
  return { events, received: server.received };
}

test("events arrive as they happen, in order, if they match the filters", async () => {
  const states: FollowState["kind"][] = [];
  const followed = clientOf(org.owner.token).follow(
    { descendantsOf: org.uid, types: ["api.platform.registry.repo.*"] },
    { onState: ({ kind }) => states.push(kind) },
  );
  const found = take(followed, 2);
  while (!states.includes("open")) await new Promise((resolve) => setTimeout(resolve, 20));
  const first = await newRepo();
  await createResource(`/registry/v2/tags/${first}`, org.owner.token, {
    ...{ name: "latest", digest: `sha256:${"a".repeat(64)}` },
  });
  const second = await newRepo();
  expect(await found).toEqual([first, second]);
  expect(states).toEqual(["connecting", "open"]);
});

test("with the last event, it continues after that event", async () => {
  const client = clientOf(org.owner.token);
  const repos = [await newRepo(), await newRepo(), await newRepo()];
  const [event] = await client.events.list({ descendantsOf: org.uid, subject: repos[0] }).all(1);
  const followed = client.follow({ descendantsOf: org.uid, after: event?.uid });
  expect(await take(followed, 2)).toEqual(repos.slice(1));
});

test.each([
  ["ends", streamOf(message("e1"))],
  ["breaks", streamOf(message("e1"), cut)],
  ["stays silent", streamOf(message("e1"), stayOpen)],
  ["ends with a temporary error", streamOf(message("e1") + errorOf(14))],
  ["ends with an expired token", streamOf(message("e1") + errorOf(16))],
])("after a connection that %s, it continues after the last event", async (_, scene) => {
  const { events, received } = await following([scene, streamOf(message("e2"))], 2);
  expect(events).toEqual(["e1", "e2"]);
  const [first, second] = received.map(({ headers }) => headers);
  expect([first?.["last-event-id"], second?.["last-event-id"]]).toEqual([undefined, "e1"]);
  expect(first?.authorization).not.toBe(second?.authorization);
});

test("after a connection without an event, it begins where that connection began", async () => {
  const { received } = await following([streamOf(""), streamOf(message("e1"))], 1);
  const [first, second] = received.map(({ path }) => new URL(path, "http://x").searchParams);
  expect(first?.has("since")).toBe(false);
  expect(Math.abs(Date.parse(second?.get("since") ?? "") - Date.now())).toBeLessThan(30_000);
});

test.each([
  ["503", statusAnswer(503, 14)],
  ["500", statusAnswer(500, 13)],
  ["no response", closeAtOnce],
  ["silence", neverAnswer],
])("after %s, it connects again, and reports the error meanwhile", async (_, scene) => {
  const states: FollowState[] = [];
  const onState = (state: FollowState) => states.push(state);
  const { events } = await following([scene, streamOf(message("e1"))], 1, { onState });
  expect(events).toEqual(["e1"]);
  expect(states.map(({ kind }) => kind)).toEqual(["connecting", "waiting", "connecting", "open"]);
  expect(states[1]).toMatchObject({ error: { name: expect.stringMatching(/^[UI]/) } });
});

test("what no repetition can help against ends it", async () => {
  const reader = await newIdentity(org, "viewer");
  const denied = take(clientOf(reader.token).follow({ descendantsOf: org.uid }), 1);
  await expect(denied).rejects.toBeInstanceOf(PermissionDenied);
  const invalid = take(clientOf(org.owner.token).follow({ types: ["Not a type"] }), 1);
  await expect(invalid).rejects.toBeInstanceOf(InvalidArgument);
  const unknown = take(createClient({ url: baseUrl() }).follow(), 1);
  await expect(unknown).rejects.toBeInstanceOf(Unauthenticated);
  const later = following([streamOf(errorOf(7))], 1);
  await expect(later).rejects.toBeInstanceOf(PermissionDenied);
});

test("a signal ends it with the signal's reason, and a reader that stops ends the connection", async () => {
  await using server = await startScriptedServer((response) => {
    response.on("close", () => closed.push("closed"));
    streamOf(message("e1"), stayOpen)(response, response.req);
  });
  const closed: string[] = [];
  const client = createClient({ url: server.url });
  expect(await take(client.follow(), 1)).toEqual(["e1"]);
  const end = new AbortController();
  const followed = take(client.follow({}, { signal: end.signal }), 2);
  setTimeout(() => end.abort(new Error("enough")), 100);
  await expect(followed).rejects.toThrow("enough");
  while (closed.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.received).toHaveLength(2);
});
