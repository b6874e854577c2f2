/** A rule of the kind expire deletes by itself, so its author must be allowed to delete. */
import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization, randomName } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

const mayWriteRules = ["CAP_REGISTRY_TAG_RULE_CREATE", "CAP_REGISTRY_TAG_RULE_UPDATE"];
const mayDelete = ["CAP_TAG_DELETE", "CAP_MANIFEST_DELETE"];

test.for([
  [mayWriteRules, 403],
  [[...mayWriteRules, "CAP_TAG_DELETE"], 403],
  [[...mayWriteRules, ...mayDelete], 200],
] as const)("with %j, a rule of the kind expire gets %i", async ([capabilities, status]) => {
  const organization = await newOrganization("rights");
  const owner = organization.owner.token;
  const role = { name: randomName("role"), capabilities };
  const { uid: roleUid } = await createResource(`/iam/v2/roles/${organization.uid}`, owner, role);
  const { uid: identityUid, token } = await newIdentity(organization, undefined);
  await createResource(`/iam/v2/roleBindings/${organization.uid}`, owner, { identityUid, roleUid });
  const path = `/registry/v2/tagRules/${organization.uid}`;
  const body = { name: "old", expire: { unmovedDays: 30, daily: true } };
  expect((await callRest(path, { token, body })).status).toBe(status);
  // Nor by changing a rule of another kind.
  const keep = await createResource(path, token, {
    ...{ name: "kept", includeTags: ["kept"], keep: { writeOnce: true } },
  });
  const changed = { method: "PATCH", token, body: { expire: { unmovedDays: 30 } } };
  expect((await callRest(`/registry/v2/tagRules/${keep.uid}`, changed)).status).toBe(status);
});
