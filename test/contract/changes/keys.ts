/** One real change for every RPC about the keys of identities, and about sessions. */
import { createResource, randomName, randomUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

/** An identity of its own, because an identity has at most 5 keys. */
const newHolder = async ({ organization, token }: Fixtures) =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: randomName("bot"),
    })
  ).uid;

const person = "a".repeat(40);

export const keyChanges: Record<string, OwnChange> = {
  "KeysService/CreateKey": {
    prepare: async (fixtures) => ({
      request: { parent: await newHolder(fixtures), key: { name: "ci" } },
    }),
    body: ({ answer: { secret: _, ...shown } }) => shown,
    group: "grandparent",
  },
  "KeysService/DeleteKey": {
    prepare: async (fixtures) => {
      const path = `/iam/v2/keys/${await newHolder(fixtures)}`;
      return deleteOf((await createResource(path, fixtures.token, { name: "ci" })).uid);
    },
    group: "grandparent",
  },
  "SessionsService/EndSessions": {
    prepare: async ({ identityProvider }) => {
      const uid = `${identityProvider}/${randomUid().slice(0, 16)}`;
      const values = [uid, person, Date.UTC(2100, 0, 1)];
      await sql(
        `insert into sessions (uid, identity_uid, kind, client, user_agent, create_time, last_used_time, expire_time)
         values (?, ?, 1, '', '', 1, 1, ?)`,
        ...values,
      );
      return { request: { uids: [uid] }, subject: uid };
    },
    group: "grandparent",
    bodyType: "platform.iam.v2.Session",
    body: ({ request: { uids } }) => ({
      ...{ uid: (uids as string[])[0] ?? "", identityUid: person, kind: "KIND_LOGIN" },
      ...{ createTime: "1970-01-01T00:00:00.001Z", lastUsedTime: "1970-01-01T00:00:00.001Z" },
      ...{ expireTime: "2100-01-01T00:00:00.000Z", current: false },
    }),
    personal: true,
  },
};
