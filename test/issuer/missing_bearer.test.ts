/**
 * Calls that read a bearer token of another kind, sent without one. The platform does not read the rest of
 * them.
 */
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import { SecurityTokenService } from "../../schema/gen/platform/oidc/security_token_pb.js";
import { callRest, transports } from "../world/platform.ts";

const bad = "aud=x&cap=nope&scopes=%00&identity=nope";

test.each([
  ["GET", `/sts/exchange?${bad}`, undefined],
  ["POST", `/sts/exchange?${bad}`, undefined],
  ["GET", "/sts/exchange?identity=a&identity=b", undefined],
  ["POST", `/sts/exchange_refresh_token?${bad}`, undefined],
  ["POST", "/auth/v1/register", { identityId: "nope", code: "\u0000" }],
  ["POST", "/auth/v1/register", "{"],
])("%s %s is UNAUTHENTICATED", async (method, path, body) => {
  for (const headers of [{}, { authorization: "Basic eDp5" }]) {
    const refused = await callRest(path, { method, body, headers });
    expect([refused.status, refused.body.code]).toEqual([401, 16]);
    expect(refused.body.details[0].reason).toBe("UNAUTHENTICATED");
  }
});

test.each(["connect", "grpcWeb"] as const)(
  "a missing bearer token is rejected over %s as well",
  async (kind) => {
    const { [kind]: transport } = transports();
    const tokens = createClient(SecurityTokenService, transport);
    const people = createClient(Auth, transport);
    const refused = { code: 16 };
    const request = { aud: ["x"], cap: ["nope"], scopes: ["\u0000"] };
    await expect(tokens.exchange(request)).rejects.toMatchObject(refused);
    await expect(tokens.exchangeRefreshToken(request)).rejects.toMatchObject(refused);
    await expect(people.register({ identityId: "nope" })).rejects.toMatchObject(refused);
  },
);
