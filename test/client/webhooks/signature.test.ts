/** The signature of Standard Webhooks: the package `standardwebhooks` and our verifier agree. */
import { verifyWebhook } from "platform-api/client/webhooks";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  type Delivery,
  digest,
  expectRefusal,
  groupUid,
  newSecret,
  tagDelivery,
  tagUid,
  withSignature,
} from "./delivery.ts";

const secret = newSecret();
const signed = () => withSignature(tagDelivery(), secret);

/** Whether the independent package accepts a delivery. */
function isAcceptedByOthers({ headers, body }: Delivery, key = secret): boolean {
  try {
    new Webhook(key).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe("an authentic delivery", () => {
  test("is accepted, and the event has all its attributes", async () => {
    const delivery = signed();
    expect(isAcceptedByOthers(delivery)).toBe(true);
    const event = await verifyWebhook(delivery, { secret });
    expect(event).toEqual({
      id: delivery.headers["ce-id"],
      type: "api.platform.registry.tag.created.v1",
      source: "https://api.example.com/registry/v2/tags",
      subject: tagUid,
      time: "2026-11-23T16:30:00.123Z",
      group: groupUid,
      bodyType: "platform.registry.v2.Tag",
      extensions: { audience: "customer" },
      actor: { subject: `${groupUid}/${"4".repeat(16)}` },
      body: expect.objectContaining({ uid: tagUid, name: "latest", digest }),
    });
  });

  test("is accepted as a Request, as bytes, and with the headers of Node", async () => {
    const { headers, body } = signed();
    const bytes = new TextEncoder().encode(body);
    const nodeHeaders = { ...headers, "x-other": ["a", "b"], "x-absent": undefined };
    for (const request of [
      new Request("https://hooks.example", { method: "POST", headers, body }),
      { headers: new Headers(headers), body: bytes },
      { headers: nodeHeaders, body: Buffer.from(body) },
    ]) {
      expect(await verifyWebhook(request, { secret })).toMatchObject({ subject: tagUid });
    }
  });

  test("is accepted while a secret rotates, whichever side knows both", async () => {
    const [old, next] = [newSecret(), newSecret()];
    const by = (secrets: string | string[]) => withSignature(tagDelivery(), secrets);
    for (const [delivery, known] of [
      [by([next, old]), old],
      [by([next, old]), next],
      [by(old), [next, old]],
      [by(next), [next, old]],
    ] as const) {
      expect(await verifyWebhook(delivery, { secret: known })).toMatchObject({ subject: tagUid });
    }
  });

  test("is accepted with a secret without its prefix, and next to signatures of other versions", async () => {
    const { headers, body } = signed();
    const all = `v1a,${"A".repeat(86)}== ${headers["webhook-signature"]}`;
    const delivery = { headers: { ...headers, "webhook-signature": all }, body };
    const bare = secret.replace("whsec_", "");
    expect(await verifyWebhook(delivery, { secret: bare })).toMatchObject({ subject: tagUid });
  });
});

const changedHeader = (name: string, change: (value: string) => string): Delivery => {
  const { headers, body } = signed();
  return { headers: { ...headers, [name]: change(headers[name] ?? "") }, body };
};

describe("an attack is refused by our verifier and by the independent package", () => {
  const attacks: [string, () => Delivery][] = [
    ["a changed body", () => ({ ...signed(), body: signed().body.replace("latest", "stable") })],
    ["a body with another space", () => ({ ...signed(), body: `${signed().body} ` })],
    ["an empty body", () => ({ ...signed(), body: "" })],
    ["the signature of another secret", () => withSignature(tagDelivery(), newSecret())],
    ["a truncated signature", () => changedHeader("webhook-signature", (all) => all.slice(0, -4))],
    ["a signature of one byte", () => changedHeader("webhook-signature", () => "v1,QQ==")],
    ["a signature that is not base64", () => changedHeader("webhook-signature", () => "v1,!")],
    ["a signature without a version", () => changedHeader("webhook-signature", (s) => s.slice(3))],
    [
      "a signature of version v2",
      () => changedHeader("webhook-signature", (s) => `v2${s.slice(2)}`),
    ],
    ["another id", () => changedHeader("webhook-id", () => crypto.randomUUID())],
    ["an id that is sent twice", () => changedHeader("webhook-id", (id) => `${id}, ${id}`)],
    ["another time", () => changedHeader("webhook-timestamp", (time) => String(Number(time) + 1))],
  ];
  test.each(attacks)("%s", async (_, attack) => {
    const delivery = attack();
    expect(isAcceptedByOthers(delivery)).toBe(false);
    await expectRefusal(verifyWebhook(delivery, { secret }), 403, "SIGNATURE_INVALID");
  });

  test.each([
    ["a replay after six minutes", -360],
    ["a time six minutes ahead", 360],
  ])("%s", async (_, seconds) => {
    const delivery = withSignature(tagDelivery(), secret, new Date(Date.now() + seconds * 1000));
    expect(isAcceptedByOthers(delivery)).toBe(false);
    await expectRefusal(verifyWebhook(delivery, { secret }), 403, "TIMESTAMP_OUT_OF_RANGE");
    const patient = verifyWebhook(delivery, { secret, toleranceSeconds: 400 });
    expect(await patient).toMatchObject({ subject: tagUid });
  });

  test.each(["", "yesterday", "NaN", "-1", "1e9", "0x10", " "])(
    "a time that is the text %j",
    async (text) => {
      const delivery = changedHeader("webhook-timestamp", () => text);
      expect(isAcceptedByOthers(delivery)).toBe(false);
      const isMissing = text.trim() === "";
      await expectRefusal(
        verifyWebhook(delivery, { secret }),
        isMissing ? 401 : 403,
        isMissing ? "SIGNATURE_MISSING" : "TIMESTAMP_OUT_OF_RANGE",
      );
    },
  );

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "a delivery without %s",
    async (name) => {
      const { headers, body } = signed();
      const { [name]: _, ...others } = headers;
      expect(isAcceptedByOthers({ headers: others, body })).toBe(false);
      const outcome = verifyWebhook({ headers: others, body }, { secret });
      await expectRefusal(outcome, 401, "SIGNATURE_MISSING");
    },
  );

  test("a signature after many wrong ones, so that an attacker cannot make a receiver hash for long", async () => {
    const wrong = `v1,${Buffer.alloc(32).toString("base64")} `.repeat(100);
    const delivery = changedHeader("webhook-signature", (right) => wrong + right);
    await expectRefusal(verifyWebhook(delivery, { secret }), 403, "SIGNATURE_INVALID");
  });
});

test("an event under the id of another one is refused, although its signature is valid", async () => {
  const delivery = changedHeader("ce-id", () => crypto.randomUUID());
  expect(isAcceptedByOthers(delivery)).toBe(true);
  await expectRefusal(verifyWebhook(delivery, { secret }), 403, "ID_MISMATCH");
});

describe("the body", () => {
  const limited = (request: Parameters<typeof verifyWebhook>[0]) =>
    verifyWebhook(request, { secret, maxBodyBytes: 100 });

  test("over the limit is refused, whatever its form and its content-length", async () => {
    const { headers, body } = signed();
    for (const request of [
      { headers, body },
      { headers: { ...headers, "content-length": "1000" }, body: "" },
      { headers, body: new Response(body).body },
    ]) {
      await expectRefusal(limited(request), 413, "BODY_TOO_LARGE");
    }
  });

  test("over the limit is not read further", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(64));
      },
    });
    await expectRefusal(
      limited({ headers: signed().headers, body: endless }),
      413,
      "BODY_TOO_LARGE",
    );
    expect(sent).toBeLessThan(10);
  });

  test("that was read before is a mistake of the program, and not of the sender", async () => {
    const { headers, body } = signed();
    const request = new Request("https://hooks.example", { method: "POST", headers, body });
    await request.text();
    await expect(verifyWebhook(request, { secret })).rejects.toThrow(TypeError);
  });
});

describe("options that would verify nothing are a TypeError", () => {
  test.each([
    ["no credential", {}],
    ["no secret in the list", { secret: [] }],
    ["an empty secret", { secret: "" }],
    ["a short secret", { secret: "whsec_c2hvcnQ=" }],
    ["a secret that is not base64", { secret: "whsec_not base64, but long enough for one" }],
    ["an issuer without a group", { issuer: "https://issuer.example" }],
    ["a group without an issuer", { group: groupUid }],
    ["an empty group", { issuer: "https://issuer.example", group: "" }],
    ["an issuer over http", { issuer: "http://issuer.example", group: groupUid }],
    ["an issuer that is not a URL", { issuer: "issuer", group: groupUid }],
    ["no tolerance", { secret, toleranceSeconds: 0 }],
    ["a tolerance that is not a number", { secret, toleranceSeconds: Number.NaN }],
    ["an endless body", { secret, maxBodyBytes: Number.POSITIVE_INFINITY }],
  ])("%s", async (_, options) => {
    const error = await verifyWebhook(signed(), options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain("not base64, but");
  });
});
