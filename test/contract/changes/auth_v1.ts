/** One real change for every RPC of version 1 about Auth and Events that has an event. */
import { SignJWT } from "jose";
import { newKey } from "../../issuer/foreign_issuer.ts";
import { createResource, randomName, roleUid } from "../../world/personas.ts";
import { issuer as platform } from "../../world/platform.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const newSink = () => `https://${randomName("hooks")}.example/events`;

const subscribe = async ({ organization, token }: Fixtures, sink = newSink()): Promise<string> =>
  (await createResource(`/events/v1/subscriptions/${organization.uid}`, token, { sink }))
    .id as string;

/** An identity of the organization with its own keys, and a token signed with them. */
async function newKeyHolder({ organization, token }: Fixtures) {
  const { jwk, header, privateKey } = await newKey();
  const issuer = "https://keys.invalid";
  const name = randomName("device");
  const staticKeys = { issuer, subject: name, issuerKeys: JSON.stringify({ keys: [jwk] }) };
  const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
    name,
    staticKeys,
  });
  const signed = await new SignJWT({ iss: issuer, sub: name, aud: platform })
    .setProtectedHeader(header)
    .setExpirationTime("10m")
    .sign(privateKey);
  const act = { iss: issuer, sub: name, aud: platform };
  return { uid, name, token: signed, act };
}

export const authV1Changes: Record<string, OwnChange> = {
  "auth.Auth/Register": {
    async prepare(fixtures) {
      const { act, ...as } = await newKeyHolder(fixtures);
      const invite = { roleUid: await roleUid("viewer"), ttl: "3600s", singleUse: true };
      const at = `/iam/v2/groupInvites/${fixtures.organization.uid}`;
      const { code = "" } = (await createResource(at, fixtures.token, invite)) as { code?: string };
      return { request: { code, identityId: as.uid }, subject: as.uid, as, claims: { act } };
    },
    alsoEmits: ["api.iam.rolebindings.created.v1"],
    personal: true,
  },
  "events.Subscriptions/Create": {
    body: ({ answer: { secret: _, ...shown } }) => shown,
    prepare: ({ organization }) => ({
      request: { parentId: organization.uid, subscription: { sink: newSink() } },
    }),
    async conflict(fixtures) {
      const sink = newSink();
      await subscribe(fixtures, sink);
      return { parentId: fixtures.organization.uid, subscription: { sink } };
    },
  },
  "events.Subscriptions/Delete": {
    prepare: async (fixtures) => deleteOfV1(await subscribe(fixtures)),
    body: () => undefined,
    bodyType: "",
  },
};
