/** The token of a delivery, signed with jose, and attacks on it. */
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { verifyWebhook, type WebhookOptions } from "platform-api/client/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { discoveryPath, type Issuer, keysPath, startIssuer } from "../../auth/oidc_issuer.ts";
import { jsonAnswer, startScriptedServer } from "../scripted_server.ts";
import {
  claimsOf,
  expectRefusal,
  groupUid,
  newSecret,
  tagDelivery,
  tagUid,
  withBearer,
  withSignature,
  withToken,
} from "./delivery.ts";

let issuer: Issuer;
let stranger: Issuer;
let options: WebhookOptions;
beforeAll(async () => {
  [issuer, stranger] = await Promise.all([startIssuer(), startIssuer()]);
  options = { issuer: issuer.url, group: groupUid };
});
afterAll(async () => {
  await Promise.all([issuer?.close(), stranger?.close()]);
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

test("an authentic delivery is accepted, and the keys are fetched once", async () => {
  for (const _ of [1, 2, 3]) {
    const delivery = await withToken(tagDelivery(), issuer);
    expect(await verifyWebhook(delivery, options)).toMatchObject({ subject: tagUid });
  }
  expect(issuer.log).toEqual([discoveryPath, keysPath]);
});

test("a slash at the end of the issuer's URL does not matter", async () => {
  const delivery = await withToken(tagDelivery(), issuer);
  const slashed = { ...options, issuer: `${issuer.url}/` };
  expect(await verifyWebhook(delivery, slashed)).toMatchObject({ subject: tagUid });
});

test("with a secret, both the signature and the token must be valid", async () => {
  const secret = newSecret();
  const both = { ...options, secret };
  const delivery = await withToken(withSignature(tagDelivery(), secret), issuer);
  expect(await verifyWebhook(delivery, both)).toMatchObject({ subject: tagUid });
  const { authorization: _, ...signedOnly } = delivery.headers;
  await expectRefusal(
    verifyWebhook({ headers: signedOnly, body: delivery.body }, both),
    401,
    "TOKEN_MISSING",
  );
  const tokenOnly = await withToken(tagDelivery(), issuer);
  await expectRefusal(verifyWebhook(tokenOnly, both), 401, "SIGNATURE_MISSING");
  const badSignature = withSignature(delivery, newSecret());
  await expectRefusal(verifyWebhook(badSignature, both), 403, "SIGNATURE_INVALID");
  const badToken = await withToken(delivery, stranger);
  await expectRefusal(verifyWebhook(badToken, both), 403, "TOKEN_INVALID");
});

describe("a delivery is refused", () => {
  test("without a token", async () => {
    await expectRefusal(verifyWebhook(tagDelivery(), options), 401, "TOKEN_MISSING");
  });

  test.each(["Basic YTpi", "Bearer", "Bearer token", "Bearer a.b", "Bearer a.b.c.d", "eyJ.a.b"])(
    "with the credential %j",
    async (authorization) => {
      const outcome = verifyWebhook(tagDelivery({ authorization }), options);
      await expectRefusal(outcome, 403, "TOKEN_INVALID");
    },
  );

  test("with two tokens, even if both are valid", async () => {
    const { headers, body } = await withToken(tagDelivery(), issuer);
    const two = {
      ...headers,
      authorization: [headers.authorization ?? "", headers.authorization ?? ""],
    };
    await expectRefusal(verifyWebhook({ headers: two, body }, options), 403, "TOKEN_INVALID");
  });

  test("with another body than the token's", async () => {
    const { headers, body } = await withToken(tagDelivery(), issuer);
    const changed = { headers, body: body.replace("latest", "stable") };
    await expectRefusal(verifyWebhook(changed, options), 403, "DIGEST_MISMATCH");
  });

  test.each([
    ["no digest", { webhook: {} }],
    ["no claim webhook", { webhook: undefined }],
    ["a claim webhook that is a text", { webhook: "sha256:" }],
    ["an empty digest", { webhook: { digest: "" } }],
    ["the digest of nothing", { webhook: { digest: `sha256:${"0".repeat(64)}` } }],
  ])("with %s", async (_, claims) => {
    const delivery = await withToken(tagDelivery(), issuer, claims);
    await expectRefusal(verifyWebhook(delivery, options), 403, "DIGEST_MISMATCH");
  });

  test("with a digest in capitals, which is not what the platform sends", async () => {
    const delivery = tagDelivery();
    const { digest } = claimsOf(delivery).webhook as { digest: string };
    const outcome = withToken(delivery, issuer, { webhook: { digest: digest.toUpperCase() } });
    await expectRefusal(verifyWebhook(await outcome, options), 403, "DIGEST_MISMATCH");
  });

  test.each([
    ["the subscription of another group", `webhook:${"9".repeat(40)}`],
    ["the subscription of a subgroup", `webhook:${groupUid}/${"2".repeat(16)}`],
    ["an identity with the uid of the group", groupUid],
  ])("with the token of %s", async (_, sub) => {
    const delivery = await withToken(tagDelivery(), issuer, { sub });
    await expectRefusal(verifyWebhook(delivery, options), 403, "TOKEN_FOR_OTHER_GROUP");
  });

  test.each([
    ["another issuer", { iss: "https://issuer.example" }],
    ["another audience", { aud: "https://api.example.com" }],
    ["no time of issue", { iat: undefined }],
    ["no expiry", { exp: undefined }],
    ["a time of issue in an hour", { iat: nowSeconds() + 3600, exp: nowSeconds() + 7200 }],
    ["a start in an hour", { nbf: nowSeconds() + 3600 }],
  ])("with a token with %s", async (_, claims: Record<string, unknown>) => {
    const delivery = await withToken(tagDelivery(), issuer, claims);
    await expectRefusal(verifyWebhook(delivery, options), 403, "TOKEN_INVALID");
  });

  test.each([
    ["has expired", { iat: nowSeconds() - 3600, exp: nowSeconds() - 120 }],
    [
      "was issued two hours ago for a day",
      { iat: nowSeconds() - 7200, exp: nowSeconds() + 80_000 },
    ],
  ])("with a token that %s", async (_, claims) => {
    const delivery = await withToken(tagDelivery(), issuer, claims);
    await expectRefusal(verifyWebhook(delivery, options), 403, "TOKEN_EXPIRED");
  });

  test("with a token of another issuer that names ours", async () => {
    const delivery = await withToken(tagDelivery(), stranger, { iss: issuer.url });
    await expectRefusal(verifyWebhook(delivery, options), 403, "TOKEN_INVALID");
    expect(stranger.log).toEqual([]);
  });

  test("with a token of another issuer, whose keys are never fetched", async () => {
    const delivery = await withToken(tagDelivery(), stranger);
    await expectRefusal(verifyWebhook(delivery, options), 403, "TOKEN_INVALID");
    expect(stranger.log).toEqual([]);
  });
});

describe("forged tokens are refused:", () => {
  const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forgedClaims = (delivery: ReturnType<typeof tagDelivery>) => ({
    ...claimsOf(delivery),
    ...{ iss: issuer.url, iat: nowSeconds(), exp: nowSeconds() + 600 },
  });

  test.each(["none", "None", "NONE", ""])("the algorithm is %j", async (alg) => {
    const delivery = tagDelivery();
    const token = `${segment({ alg })}.${segment(forgedClaims(delivery))}.`;
    await expectRefusal(verifyWebhook(withBearer(delivery, token), options), 403, "TOKEN_INVALID");
  });

  test("the public key of the issuer is the secret of HS256", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
    await using server = await startScriptedServer((response, request) => {
      const url = `http://${request.headers.host}`;
      const { n, e } = jwk;
      const keys = [{ kty: "RSA", kid: "k", n, e }];
      const body = request.url === "/keys" ? { keys } : { issuer: url, jwks_uri: `${url}/keys` };
      jsonAnswer(200, body)(response, request);
    });
    const jwk = (await crypto.subtle.exportKey("jwk", publicKey)) as JsonWebKey;
    const delivery = tagDelivery();
    const claims = { ...forgedClaims(delivery), iss: server.url };
    const own = { issuer: server.url, group: groupUid };
    const spki = await exportSPKI(publicKey);
    for (const secret of [spki, spki.trim(), JSON.stringify(jwk)]) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: "k" })
        .sign(new TextEncoder().encode(secret));
      await expectRefusal(verifyWebhook(withBearer(delivery, forged), own), 403, "TOKEN_INVALID");
    }
    const real = new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k" });
    const accepted = verifyWebhook(withBearer(delivery, await real.sign(privateKey)), own);
    expect(await accepted).toMatchObject({ subject: tagUid });
  });

  test("the token brings its own key, or an address of keys", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await crypto.subtle.exportKey("jwk", publicKey);
    const delivery = tagDelivery();
    for (const header of [{ jwk }, { jku: `${stranger.url}/keys` }, { x5u: stranger.url }]) {
      const token = await new SignJWT(forgedClaims(delivery))
        .setProtectedHeader({ alg: "ES256", ...(header as object) })
        .sign(privateKey);
      const outcome = verifyWebhook(withBearer(delivery, token), options);
      await expectRefusal(outcome, 403, "TOKEN_INVALID");
    }
    expect(stranger.log).toEqual([]);
  });

  test("the claims are those of another token", async () => {
    const delivery = await withToken(tagDelivery(), issuer);
    const [head, , signature] = (delivery.headers.authorization ?? "").slice(7).split(".");
    const token = `${head}.${segment(forgedClaims(delivery))}.${signature}`;
    await expectRefusal(verifyWebhook(withBearer(delivery, token), options), 403, "TOKEN_INVALID");
  });

  test("the signature is truncated or missing", async () => {
    const delivery = await withToken(tagDelivery(), issuer);
    const token = (delivery.headers.authorization ?? "").slice(7);
    for (const cut of [token.slice(0, -4), token.slice(0, token.lastIndexOf(".") + 1)]) {
      await expectRefusal(verifyWebhook(withBearer(delivery, cut), options), 403, "TOKEN_INVALID");
    }
  });
});

describe("the keys of the issuer", () => {
  test.each([
    ["an error", jsonAnswer(500, {})],
    [
      "the document of another issuer",
      jsonAnswer(200, { issuer: "https://other.example", jwks_uri: "https://other.example/keys" }),
    ],
    ["null", jsonAnswer(200, null)],
    ["a redirect", jsonAnswer(302, {}, { location: "https://other.example" })],
  ])("that cannot be fetched are the receiver's failure: %s", async (_, answer) => {
    await using server = await startScriptedServer(answer);
    const delivery = await withToken(tagDelivery(), issuer);
    const outcome = verifyWebhook(delivery, { issuer: server.url, group: groupUid });
    await expectRefusal(outcome, 503, "KEYS_UNAVAILABLE");
  });

  /** Verifies an authentic delivery, with another discovery document. Returns the paths that are requested. */
  async function requestedWith(change: object): Promise<string[]> {
    const own = await startIssuer();
    try {
      const document = { issuer: own.url, jwks_uri: `${own.url}${keysPath}`, ...change };
      own.answer(discoveryPath, (response) => response.end(JSON.stringify(document)));
      const paths: string[] = [];
      const recorded: typeof fetch = (input, init) => {
        const url = new URL(String(input));
        paths.push(url.pathname);
        // Keys that would be valid, wherever they are.
        return fetch(`${own.url}${url.pathname}`, init);
      };
      const outcome = verifyWebhook(await withToken(tagDelivery(), own), {
        ...{ issuer: own.url, group: groupUid, fetch: recorded },
      });
      if (Object.keys(change).length > 0) await expectRefusal(outcome, 503, "KEYS_UNAVAILABLE");
      else expect(await outcome).toMatchObject({ subject: tagUid });
      return paths;
    } finally {
      await own.close();
    }
  }

  test("are not fetched if the document is of another issuer, or names an address without TLS", async () => {
    expect(await requestedWith({})).toEqual([discoveryPath, keysPath]);
    for (const change of [
      { issuer: "https://other.example" },
      { issuer: undefined },
      { jwks_uri: `http://keys.example${keysPath}` },
      { jwks_uri: "keys" },
      { jwks_uri: undefined },
    ]) {
      expect(await requestedWith(change)).toEqual([discoveryPath]);
    }
  });

  test("that fail once are fetched again for the next delivery", async () => {
    const own = await startIssuer();
    try {
      const ownOptions = { issuer: own.url, group: groupUid };
      own.answer(keysPath, (response) => response.writeHead(500).end());
      const delivery = await withToken(tagDelivery(), own);
      await expectRefusal(verifyWebhook(delivery, ownOptions), 503, "KEYS_UNAVAILABLE");
      own.answer(keysPath, (response) => own.publish(response));
      expect(await verifyWebhook(delivery, ownOptions)).toMatchObject({ subject: tagUid });
    } finally {
      await own.close();
    }
  });
});
