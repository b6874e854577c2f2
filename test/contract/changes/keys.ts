/** One real change for every RPC about the keys of identities. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

/** An identity of its own, because an identity has at most 5 keys. */
const newHolder = async ({ organization, token }: Fixtures) =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: randomName("bot"),
    })
  ).uid;

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
};
