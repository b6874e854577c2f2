/** The verification of events by their receiver, against an independent signer of Standard Webhooks and jose. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  verifyWebhook,
  WebhookError,
  type WebhookOptions,
  webhookHandler,
} from "../../client/webhooks.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const group = "a".repeat(40);
const body = JSON.stringify({
  actor: { subject: `${group}/${"1".repeat(16)}`, act: { sub: "repo:a/b" } },
  body: { uid: `${group}/tag`, name: "3.12" },
});

let issuer: string;
let privateKey: CryptoKey;
let publicJwk: JWK;
let stop: () => void;
beforeAll(async () => {
  const pair = await generateKeyPair("ES256");
  ({ privateKey } = pair);
  publicJwk = { ...(await exportJWK(pair.publicKey)), alg: "ES256", kid: "one" };
  const server = createServer((request, response) => {
    const isKeys = request.url === "/keys";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isKeys ? { keys: [publicJwk] } : { jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => server.close();
});
afterAll(() => stop());

const sha256 = async (text: string) => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${Buffer.from(hash).toString("hex")}`;
};

async function tokenFor(claims: JWTPayload = {}, lifetime = 3600): Promise<string> {
  const webhook = { digest: await sha256(body) };
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    ...{ iss: issuer, aud: "customer", sub: `webhook:${group}`, webhook, iat: now },
    exp: now + lifetime,
    ...claims,
  })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .sign(privateKey);
}

const event = {
  "ce-specversion": "1.0",
  "ce-id": "9d2f0c1e-0000-4000-8000-000000000001",
  "ce-type": "dev.vendor.api.platform.registry.tag.created.v1",
  "ce-source": "https://api.example.com/registry/v2/tags",
  "ce-subject": "caf%C3%A9%20%25",
  "ce-time": "2026-11-23T16:50:57.590Z",
  "ce-group": group,
  "ce-audience": "customer",
  "ce-bodytype": "vendor.platform.registry.v2.Tag",
  "content-type": "application/json",
};

/** The headers of an independent signer. */
function signed(text = body, by = secret, date = new Date()) {
  return {
    "webhook-id": event["ce-id"],
    "webhook-timestamp": String(Math.floor(date.getTime() / 1000)),
    "webhook-signature": new Webhook(by).sign(event["ce-id"], date, text),
  };
}

const request = (headers: Record<string, string>, text: BodyInit = body) =>
  new Request("https://hooks.example/events", {
    method: "POST",
    headers: { ...event, ...headers },
    body: text,
  });

/** The status and the reason of a refusal. */
async function refusal(asked: Request, options: WebhookOptions): Promise<unknown[]> {
  try {
    await verifyWebhook(asked, options);
    return ["accepted"];
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return [error.status, error.reason];
  }
}

describe("an event is returned", () => {
  test("from a request that an independent signer has signed", async () => {
    expect(await verifyWebhook(request(signed()), { secret })).toEqual({
      id: event["ce-id"],
      type: "api.platform.registry.tag.created.v1",
      source: event["ce-source"],
      subject: "café %",
      time: event["ce-time"],
      group,
      ...JSON.parse(body),
      bodyType: event["ce-bodytype"],
      attributes: expect.objectContaining({ audience: "customer", specversion: "1.0" }),
    });
  });

  test("if one of several signatures matches one of several secrets", async () => {
    const [one, two] = [signed(), signed(body, otherSecret)];
    const both = `${two["webhook-signature"]} ${one["webhook-signature"]}`;
    const headers = { ...one, "webhook-signature": both };
    expect(await refusal(request(headers), { secret })).toEqual(["accepted"]);
    expect(await refusal(request(one), { secret: [otherSecret, secret] })).toEqual(["accepted"]);
  });

  test("from a request with a token of the issuer for this group and body", async () => {
    const authorization = `Bearer ${await tokenFor()}`;
    const options = { issuer, group };
    expect(await refusal(request({ authorization }), options)).toEqual(["accepted"]);
    const both = request({ authorization, ...signed() });
    expect(await refusal(both, { ...options, secret })).toEqual(["accepted"]);
  });

  test("without a body if the event has none", async () => {
    const text = JSON.stringify({ actor: { subject: "" } });
    const { body: none, actor } = await verifyWebhook(request(signed(text), text), { secret });
    expect([none, actor]).toEqual([undefined, { subject: "" }]);
  });
});

describe("a request is refused", () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  test.each<[string, () => Request, unknown[]]>([
    ["without a signature", () => request({}), [401, "NO_CREDENTIALS"]],
    ["with another body", () => request(signed(), `${body} `), [403, "BAD_SIGNATURE"]],
    ["with another secret", () => request(signed(body, otherSecret)), [403, "BAD_SIGNATURE"]],
    [
      "with another id",
      () => request({ ...signed(), "webhook-id": "other" }),
      [403, "BAD_SIGNATURE"],
    ],
    [
      "with the id of another event",
      () => request({ ...signed(), "ce-id": "other" }),
      [403, "BAD_SIGNATURE"],
    ],
    [
      "with a truncated signature",
      () =>
        request({ ...signed(), "webhook-signature": signed()["webhook-signature"].slice(0, -8) }),
      [403, "BAD_SIGNATURE"],
    ],
    [
      "with no signature at all in the header",
      () => request({ ...signed(), "webhook-signature": "v1," }),
      [403, "BAD_SIGNATURE"],
    ],
    [
      "with a signature of another version",
      () =>
        request({
          ...signed(),
          "webhook-signature": signed()["webhook-signature"].replace("v1,", "v1a,"),
        }),
      [403, "BAD_SIGNATURE"],
    ],
    ["six minutes later", () => request(signed(body, secret, minutes(-6))), [403, "BAD_TIMESTAMP"]],
    ["from the future", () => request(signed(body, secret, minutes(6))), [403, "BAD_TIMESTAMP"]],
    [
      "with a time that is not a number",
      () => request({ ...signed(), "webhook-timestamp": "now" }),
      [403, "BAD_TIMESTAMP"],
    ],
    ["if it is too large", () => request(signed(), "x".repeat(2_000_000)), [413, "BODY_TOO_LARGE"]],
    [
      "if it is not a CloudEvent",
      () => request({ ...signed(), "ce-specversion": "0.3" }),
      [400, "NO_EVENT"],
    ],
    [
      "if an attribute is encoded wrongly",
      () => request({ ...signed(), "ce-subject": "%zz" }),
      [400, "NO_EVENT"],
    ],
    ["if its body is not JSON", () => request(signed("words"), "words"), [400, "NO_EVENT"]],
    ["if its body is a list", () => request(signed("[]"), "[]"), [400, "NO_EVENT"]],
  ])("%s", async (_, make, expected) => {
    expect(await refusal(make(), { secret, maxBytes: 1_000_000 })).toEqual(expected);
  });

  test.each<[string, () => Promise<string>, unknown[]]>([
    ["without a token", async () => "", [401, "NO_CREDENTIALS"]],
    ["with something that is no token", async () => "Bearer x", [403, "BAD_TOKEN"]],
    [
      "with a token for another group",
      async () => `Bearer ${await tokenFor({ sub: `webhook:${"b".repeat(40)}` })}`,
      [403, "BAD_TOKEN"],
    ],
    [
      "with a token for a subgroup",
      async () => `Bearer ${await tokenFor({ sub: `webhook:${group}/${"c".repeat(16)}` })}`,
      [403, "BAD_TOKEN"],
    ],
    [
      "with a token for the API",
      async () => `Bearer ${await tokenFor({ aud: "https://api.example.com" })}`,
      [403, "BAD_TOKEN"],
    ],
    [
      "with a token of another issuer",
      async () => `Bearer ${await tokenFor({ iss: "https://issuer.example" })}`,
      [403, "BAD_TOKEN"],
    ],
    ["with an expired token", async () => `Bearer ${await tokenFor({}, -60)}`, [403, "BAD_TOKEN"]],
    [
      "with a token about another body",
      async () => `Bearer ${await tokenFor({ webhook: { digest: await sha256("other") } })}`,
      [403, "BAD_DIGEST"],
    ],
    [
      "with a token about no body",
      async () => `Bearer ${await tokenFor({ webhook: undefined })}`,
      [403, "BAD_DIGEST"],
    ],
    [
      "with an unsigned token",
      async () => {
        const [, claims] = (await tokenFor()).split(".");
        return `Bearer ${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
      },
      [403, "BAD_TOKEN"],
    ],
    [
      "with a token signed with the public key as a secret",
      async () => {
        const key = new TextEncoder().encode(JSON.stringify(publicJwk));
        const claims = JSON.parse(
          Buffer.from((await tokenFor()).split(".")[1] ?? "", "base64url").toString(),
        );
        return `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(key)}`;
      },
      [403, "BAD_TOKEN"],
    ],
  ])("%s", async (_, make, expected) => {
    const authorization = await make();
    const asked = request(authorization === "" ? {} : { authorization });
    expect(await refusal(asked, { issuer, group })).toEqual(expected);
  });

  test("if only one of two required credentials is there", async () => {
    const options = { issuer, group, secret };
    expect(await refusal(request(signed()), options)).toEqual([401, "NO_CREDENTIALS"]);
    const authorization = `Bearer ${await tokenFor()}`;
    expect(await refusal(request({ authorization }), options)).toEqual([401, "NO_CREDENTIALS"]);
  });
});

test("a receiver without a secret and an issuer, or without a group, is a mistake in the program", async () => {
  await expect(verifyWebhook(request(signed()), {})).rejects.toThrow(TypeError);
  await expect(verifyWebhook(request(signed()), { issuer })).rejects.toThrow(TypeError);
});

describe("a handler", () => {
  test("receives the events of its type with their body, and others go to the default", async () => {
    const seen: unknown[] = [];
    const handle = webhookHandler(
      { secret },
      {
        "api.platform.registry.tag.created.v1": ({ body: tag }) => seen.push(tag?.name),
        default: ({ type }) => seen.push(type),
      },
    );
    expect((await handle(request(signed()))).status).toBe(200);
    await handle(request({ ...signed(), "ce-type": "dev.vendor.api.iam.group.created.v1" }));
    await handle(request({ ...signed(), "ce-type": "dev.vendor.toString" }));
    expect(seen).toEqual(["3.12", "api.iam.group.created.v1", "toString"]);
  });

  test("that fails makes the platform send the event again", async () => {
    const handle = webhookHandler({ secret }, { default: () => Promise.reject(new Error("no")) });
    expect((await handle(request(signed()))).status).toBe(500);
  });

  test("is not called for a refused request", async () => {
    const handle = webhookHandler({ secret }, { default: () => expect.unreachable() });
    expect((await handle(request({}))).status).toBe(401);
    expect((await handle(new Request("https://hooks.example/events"))).status).toBe(405);
  });

  test("is optional: an event without one is accepted", async () => {
    expect((await webhookHandler({ secret }, {})(request(signed()))).status).toBe(200);
  });
});
