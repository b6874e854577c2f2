/** A receiver keeps the keys of the issuer, and follows their rotation. The test sets the clock. */
import { verifyWebhook } from "platform-api/client/webhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { discoveryPath, type Issuer, keysPath, startIssuer } from "../../auth/oidc_issuer.ts";
import { expectRefusal, groupUid, tagDelivery, tagUid, withToken } from "./delivery.ts";

let issuer: Issuer;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  issuer = await startIssuer();
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.close();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const verifyNew = async () =>
  verifyWebhook(await withToken(tagDelivery(), issuer), { issuer: issuer.url, group: groupUid });

const requests = (path: string) => issuer.log.filter((one) => one === path).length;

test("a new key is fetched, at most every thirty seconds", async () => {
  expect(await verifyNew()).toMatchObject({ subject: tagUid });
  await issuer.rotate();
  for (const _ of [1, 2, 3]) await expectRefusal(verifyNew(), 403, "TOKEN_INVALID");
  expect(requests(keysPath)).toBe(1);
  pass(31);
  expect(await verifyNew()).toMatchObject({ subject: tagUid });
  expect(requests(keysPath)).toBe(2);
});

test("a key that the issuer no longer publishes is rejected after ten minutes", async () => {
  const stolen = await withToken(tagDelivery(), issuer);
  const options = { issuer: issuer.url, group: groupUid };
  expect(await verifyWebhook(stolen, options)).toMatchObject({ subject: tagUid });
  await issuer.rotate();
  expect(await verifyWebhook(stolen, options)).toMatchObject({ subject: tagUid });
  pass(601);
  await expectRefusal(verifyWebhook(stolen, options), 403, "TOKEN_INVALID");
});

test("the issuer's address of keys is read again after an hour", async () => {
  await verifyNew();
  pass(3500);
  await verifyNew();
  expect(requests(discoveryPath)).toBe(1);
  pass(101);
  await verifyNew();
  expect(requests(discoveryPath)).toBe(2);
});
