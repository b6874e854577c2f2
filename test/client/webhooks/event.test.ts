/** Events in authentic requests, and authentic requests that are not events. */
import { verifyWebhook } from "platform-api/client/webhooks";
import { describe, expect, test } from "vitest";
import {
  expectRefusal,
  groupUid,
  newSecret,
  repoUid,
  tagDelivery,
  tagUid,
  withSignature,
} from "./delivery.ts";

const secret = newSecret();
const verify = (headers: Record<string, string> = {}, data?: unknown) =>
  verifyWebhook(withSignature(tagDelivery(headers, data), secret), { secret });

const actor = { subject: `${groupUid}/${"4".repeat(16)}` };

describe("headers are decoded:", () => {
  test.each([
    ["percent-encoding", "Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"],
    ["one round of percent-encoding", "100%2525", "100%25"],
    ["lower-case hexadecimal digits", "%e2%82%ac", "€"],
    ["a quoted string", '"a b"', "a b"],
    ["escapes in a quoted string", '"a\\"b\\\\c"', 'a"b\\c'],
    ["a quote that is encoded", "%22a%22", '"a"'],
    ["a comma", "a,b", "a,b"],
    ["an empty value", "", ""],
  ])("%s", async (_, sent, value) => {
    expect((await verify({ "ce-note": sent })).extensions).toEqual({
      audience: "customer",
      note: value,
    });
  });

  test("in the attributes of every event too", async () => {
    const event = await verify({
      "ce-source": "https://api.example.com/a%20b",
      "ce-subject": "%C3%A9",
    });
    expect(event).toMatchObject({ source: "https://api.example.com/a b", subject: "é" });
  });

  test("other headers are not extensions, whatever their names", async () => {
    const event = await verify({ "ce-a_b": "1", "ce-": "2", "x-ce-c": "3", "ce-__proto__": "4" });
    expect(event.extensions).toEqual({ audience: "customer" });
  });
});

describe("a request is not an event", () => {
  test.each([
    ["without ce-specversion", { "ce-specversion": "" }],
    ["of another version of CloudEvents", { "ce-specversion": "0.3" }],
    ["without ce-type", { "ce-type": "" }],
    ["with a type of somebody else", { "ce-type": "com.example.tag" }],
    ["with a type that is only a prefix", { "ce-type": "dev.vendor." }],
    ["without ce-source", { "ce-source": "" }],
    ["without ce-time", { "ce-time": "" }],
    ["with a time that is not RFC 3339", { "ce-time": "2026-11-23" }],
    ["on a day that does not exist", { "ce-time": "2026-13-41T00:00:00Z" }],
    ["with half of a percent-encoding", { "ce-note": "100%2" }],
    ["with a percent-encoding that is not UTF-8", { "ce-note": "%FF%FE" }],
    ["with a percent-encoded surrogate", { "ce-note": "%ED%A0%80" }],
    ["with a raw space", { "ce-note": "a b" }],
    ["with a raw letter outside ASCII", { "ce-note": "é" }],
    ["with a quote that does not end", { "ce-note": '"a' }],
    ["with a type that is sent twice", { "ce-type": "dev.vendor.api.a.v1, dev.vendor.api.b.v1" }],
    ["with a subject that is sent twice", { "ce-subject": `${tagUid}, ${repoUid}` }],
    ["that is plain text", { "content-type": "text/plain" }],
    ["in structured mode", { "content-type": "application/cloudevents+json" }],
    ["in a batch", { "content-type": "application/cloudevents-batch+json" }],
    ["without a content type", { "content-type": "" }],
  ])("%s", async (_, headers) => {
    await expectRefusal(verify(headers), 400, "NOT_A_CLOUD_EVENT");
  });

  test("without ce-id", async () => {
    const { headers, body } = withSignature(tagDelivery(), secret);
    const { "ce-id": _, ...others } = headers;
    const outcome = verifyWebhook({ headers: others, body }, { secret });
    await expectRefusal(outcome, 400, "NOT_A_CLOUD_EVENT");
  });

  test("with a header that Node received twice", async () => {
    const { headers, body } = withSignature(tagDelivery(), secret);
    const type = headers["ce-type"] ?? "";
    const outcome = verifyWebhook(
      { headers: { ...headers, "ce-type": [type, type] }, body },
      { secret },
    );
    await expectRefusal(outcome, 400, "NOT_A_CLOUD_EVENT");
  });

  test.each([
    ["an empty body", ""],
    ["a body that is not JSON", "{'actor'"],
    ["a list", "[]"],
    ["null", "null"],
    ["a text", '"actor"'],
    ["no actor", { body: {} }],
    ["an actor without a subject", { actor: {} }],
    ["an actor that is a list", { actor: [] }],
    ["claims that are not texts", { actor: { ...actor, act: { sub: 1 } } }],
    ["a body that is a text", { actor, body: "tag" }],
    ["a body that is null", { actor, body: null }],
    ["a body that is a list", { actor, body: [] }],
  ])("with %s", async (_, data) => {
    await expectRefusal(verify({}, data), 400, "NOT_A_CLOUD_EVENT");
  });

  test("with bytes that are not UTF-8", async () => {
    const { createHmac } = await import("node:crypto");
    const { headers } = withSignature(tagDelivery(), secret);
    const body = Buffer.concat([
      Buffer.from('{"actor":{"subject":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const hmac = createHmac("sha256", key)
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`)
      .update(body);
    const signed = { ...headers, "webhook-signature": `v1,${hmac.digest("base64")}` };
    const outcome = verifyWebhook({ headers: signed, body }, { secret });
    await expectRefusal(outcome, 400, "NOT_A_CLOUD_EVENT");
  });
});

describe("an event", () => {
  test("without a body has none", async () => {
    const type = "dev.vendor.api.iam.account_associations.deleted.v1";
    const event = await verify({ "ce-type": type, "ce-bodytype": "" }, { actor });
    expect(event).toMatchObject({ bodyType: "", body: undefined });
  });

  test("has the claims that its identity was assumed with", async () => {
    const act = { iss: "https://issuer.example", sub: "repo:a/b", email: "" };
    const event = await verify({}, { actor: { ...actor, act }, body: {} });
    expect(event.actor).toEqual({ ...actor, act });
  });

  test("has the type and body type of any vendor without its name", async () => {
    for (const vendor of ["acme", "corp-2"]) {
      const event = await verify({
        "ce-type": `dev.${vendor}.api.platform.registry.tag.created.v1`,
        "ce-bodytype": `${vendor}.platform.registry.v2.Tag`,
      });
      expect(event).toMatchObject({
        type: "api.platform.registry.tag.created.v1",
        bodyType: "platform.registry.v2.Tag",
      });
    }
  });

  test("has the member that is named after the operator under the name of the types", async () => {
    const event = await verify(
      {
        "ce-type": "dev.acme.api.iam.account_associations.created.v1",
        "ce-bodytype": "acme.platform.iam.v2.AccountAssociation",
      },
      { actor, body: { uid: groupUid, acme: { serviceBindings: {} } } },
    );
    expect(event.body).toEqual({ uid: groupUid, vendor: { serviceBindings: {} } });
  });

  test("of a type that this version does not know is returned too", async () => {
    const headers = {
      "ce-type": "dev.vendor.api.future.v9",
      "ce-bodytype": "vendor.platform.future.v9.Thing",
    };
    const event = await verify(headers, { actor, body: { a: 1 } });
    expect(event).toMatchObject({ type: "api.future.v9", body: { a: 1 } });
  });

  test.each([
    "2026-11-23T16:30:00Z",
    "2026-11-23T16:30:00.123456789Z",
    "2026-11-23t16:30:00+05:30",
  ])("at the time %s", async (time) => {
    expect((await verify({ "ce-time": time })).time).toBe(time);
  });
});
