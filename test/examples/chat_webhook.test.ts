/** The example that posts tag moves to a chat, in workerd, with a chat server over HTTP. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  digest,
  newSecret,
  repoUid,
  tagDelivery,
  tagUid,
  withSignature,
} from "../client/webhooks/delivery.ts";
import { type Received, startHttpServer } from "./http_server.ts";
import { startWorker } from "./worker_bundle.ts";

const secret = newSecret();
let received: Received[] = [];
let status = 200;
let chat: Awaited<ReturnType<typeof startHttpServer>>;
let worker: Awaited<ReturnType<typeof startWorker>>;
beforeAll(async () => {
  chat = await startHttpServer((request) => {
    received.push(request);
    return { status };
  });
  const bindings = { WEBHOOK_SECRET: secret, CHAT_URL: `${chat.url}/hooks/abc` };
  worker = await startWorker("chat-webhook", "worker", bindings);
});
beforeEach(() => {
  received = [];
  status = 200;
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await chat?.close();
});

const signed = (...given: Parameters<typeof tagDelivery>) =>
  withSignature(tagDelivery(...given), secret);

test("a moved tag is one message in the chat", async () => {
  expect(await worker.deliver(signed())).toBe(200);
  expect(received).toHaveLength(1);
  const [
    { method, url, headers, body } = { method: "", url: new URL("x:"), headers: {}, body: "" },
  ] = received;
  expect([method, url.pathname, headers["content-type"]]).toEqual([
    "POST",
    "/hooks/abc",
    "application/json",
  ]);
  expect(JSON.parse(String(body))).toEqual({
    text: `Tag \`latest\` of repository \`${repoUid}\` now points to \`${digest}\` (2026-11-23T16:30:00.123Z).`,
  });
});

test("a tag that version 1 of the API has changed is a message too", async () => {
  const headers = {
    "ce-type": "dev.vendor.api.platform.registry.tag.updated.v1",
    "ce-bodytype": "vendor.platform.registry.Tag",
  };
  const body = { id: tagUid, name: "edge", deprecated: false };
  expect(await worker.deliver(signed(headers, { actor: { subject: "a" }, body }))).toBe(200);
  expect(received.map(({ body }) => JSON.parse(String(body)).text)).toEqual([
    expect.stringContaining("Tag `edge`"),
  ]);
  expect(String(received[0]?.body)).toContain("does not point to an image yet");
});

test("other events and forged ones do not reach the chat", async () => {
  const deleted = { "ce-type": "dev.vendor.api.platform.registry.tag.deleted.v1" };
  expect(await worker.deliver(signed(deleted))).toBe(200);
  expect(await worker.deliver(withSignature(tagDelivery(), newSecret()))).toBe(403);
  expect(await worker.deliver(tagDelivery())).toBe(401);
  expect(received).toEqual([]);
});

test("if the chat fails, the platform is asked to deliver again", async () => {
  status = 503;
  expect(await worker.deliver(signed())).toBe(500);
  expect(received).toHaveLength(1);
});
