/**
 * No one passes on, or takes, more access than they have: every way except those in
 * test/auth/escalation.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchangeForToken } from "../issuer/exchange_call.ts";
import { createResource, newUser } from "../world/personas.ts";
import { callRest, tokenFor } from "../world/platform.ts";
import { byCapabilities, byChief, byClerk, byScopes } from "./escalation_attacks.ts";
import {
  changesOf,
  type EscalationAttacks,
  type EscalationWorld,
  newEscalationWorld,
} from "./escalation_world.ts";

let w: EscalationWorld;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  w = await newEscalationWorld();
  const { token } = w.deputy;
  const cap = [
    ...["role_bindings.create", "group_invites.create", "identity_providers.create"],
    ...["identity.update", "roles.update"],
  ];
  Object.assign(tokens, {
    clerk: w.clerk.token,
    chief: w.chief.token,
    capabilities: (await exchangeForToken(token, { cap })).token,
    scopes: (await exchangeForToken(token, { scopes: w.group })).token,
  });
});
afterAll(() => w.issuer.close());

describe.each<[string, string, EscalationAttacks]>([
  ["who manages access and has few other capabilities", "clerk", byClerk],
  ["who owns the group below", "chief", byChief],
  ["with an owner's token narrowed to capabilities", "capabilities", byCapabilities],
  ["with an owner's token narrowed to the group below", "scopes", byScopes],
])("a caller %s is refused:", (_, who, attacks) => {
  test.each(Object.entries(attacks))("%s", async (_, ask) => {
    const { method, path, body } = ask(w);
    const answer = await callRest(path, { method, body, token: tokens[who] });
    expect([answer.status, answer.body.code], answer.body.message).toEqual([403, 7]);
  });
});

test("a token narrowed to another group cannot accept an invite into a group", async () => {
  const body = { roleUid: w.viewer, ttl: "60s" };
  const { code } = await createResource(`/iam/v2/groupInvites/${w.root}`, w.owner, body);
  const guest = await newUser();
  const token = await tokenFor(guest.uid, { scopes: [w.group] });
  const { status } = await callRest("/iam/v2/groupInvites:accept", { token, body: { code } });
  expect(status).toBe(403);
  expect(await changesOf(guest.uid)).toBe(0);
});

test("none of these callers has changed anything", async () => {
  for (const { uid } of [w.clerk, w.chief, w.deputy]) expect(await changesOf(uid)).toBe(0);
});
