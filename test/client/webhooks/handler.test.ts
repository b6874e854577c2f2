/** The handler of deliveries: its responses, and which function gets an event. */
import { type WebhookHandlers, webhookHandler } from "platform-api/client/webhooks";
import { describe, expect, test } from "vitest";
import { type Delivery, digest, newSecret, tagDelivery, withSignature } from "./delivery.ts";

const secret = newSecret();
const created = "api.platform.registry.tag.created.v1";
const deleted = "dev.vendor.api.platform.registry.tag.deleted.v1";

const requestOf = ({ headers, body }: Delivery) =>
  new Request("https://hooks.example/", { method: "POST", headers, body });

/** Sends a delivery to a handler. Returns its response, and the errors that it reported. */
async function send(handlers: WebhookHandlers, delivery: Delivery | Request) {
  const errors: unknown[] = [];
  const handler = webhookHandler({ secret, onError: (error) => errors.push(error) }, handlers);
  const request = delivery instanceof Request ? delivery : requestOf(delivery);
  const response = await handler(request);
  const text = await response.text();
  return { status: response.status, response, json: text ? JSON.parse(text) : undefined, errors };
}

const signed = (headers: Record<string, string> = {}) =>
  withSignature(tagDelivery(headers), secret);

describe("an authentic event", () => {
  test("goes to the function of its type, with a typed body", async () => {
    const seen: unknown[] = [];
    const { status, json, errors } = await send(
      {
        [created]: ({ body }) => seen.push([body.name, body.digest]),
        "*": () => seen.push("another type"),
      },
      signed(),
    );
    expect({ status, json, errors, seen }).toEqual({
      ...{ status: 200, json: undefined, errors: [] },
      seen: [["latest", digest]],
    });
  });

  test("of another type goes to the function of all others", async () => {
    const seen: string[] = [];
    const handlers: WebhookHandlers = {
      [created]: () => seen.push("wrong"),
      "*": ({ type }) => seen.push(type),
    };
    expect((await send(handlers, signed({ "ce-type": deleted }))).status).toBe(200);
    expect((await send(handlers, signed({ "ce-type": "dev.vendor.constructor" }))).status).toBe(
      200,
    );
    expect((await send(handlers, signed({ "ce-type": "dev.vendor.__proto__" }))).status).toBe(200);
    expect(seen).toEqual(["api.platform.registry.tag.deleted.v1", "constructor", "__proto__"]);
  });

  test("without a function is acknowledged, so that the platform does not send it again", async () => {
    const { status, errors } = await send({}, signed({ "ce-type": deleted }));
    expect({ status, errors }).toEqual({ status: 200, errors: [] });
  });

  test("is acknowledged after its function has finished", async () => {
    let isFinished = false;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isFinished = true;
    };
    expect((await send({ [created]: slow }, signed())).status).toBe(200);
    expect(isFinished).toBe(true);
  });
});

describe("the response is", () => {
  test("500 if the function fails, and does not show why", async () => {
    for (const failure of [
      () => {
        throw new Error("the password is hunter2");
      },
      () => Promise.reject(new Error("the password is hunter2")),
    ]) {
      const { status, json, errors } = await send({ [created]: failure }, signed());
      expect(status).toBe(500);
      expect(json).toEqual({ reason: "INTERNAL", message: "The receiver failed." });
      expect(errors).toEqual([new Error("the password is hunter2")]);
    }
  });

  test.each([
    [401, "SIGNATURE_MISSING", () => tagDelivery()],
    [403, "SIGNATURE_INVALID", () => withSignature(tagDelivery(), newSecret())],
    [400, "NOT_A_CLOUD_EVENT", () => signed({ "ce-specversion": "2.0" })],
  ])("%i %s, and the function is not called", async (status, reason, delivery) => {
    const seen: unknown[] = [];
    const sent = await send({ "*": (event) => seen.push(event) }, delivery());
    expect(sent.status).toBe(status);
    expect(sent.json).toEqual({ reason, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(sent.errors).toMatchObject([{ name: "WebhookError", status, reason }]);
    expect(seen).toEqual([]);
  });

  test.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("405 for %s", async (method) => {
    const request = new Request("https://hooks.example/", { method });
    const { response, json } = await send({}, request);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(json.reason).toBe("METHOD_NOT_ALLOWED");
  });
});

test("a handler without credentials is refused when it is made, and not at the first delivery", () => {
  expect(() => webhookHandler({}, {})).toThrow(TypeError);
});
