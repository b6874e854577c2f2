/** Every change of a group over SCIM is an event that says who joined and who left. */
import { expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { newClient } from "./client.ts";

test("an event follows each change of a group, and no event follows what changes nothing", async () => {
  const client = await newClient();
  const users = [];
  for (const userName of ["ada", "bob"]) users.push((await client.create({ userName })).id);
  const [ada = "", bob = ""] = users;
  const { id } = await client.createGroup({ displayName: "Team", members: [{ value: ada }] });
  const add = { op: "add", path: "members", value: [{ value: ada }, { value: bob }] };
  await client.patchGroup(id, add, { op: "replace", path: "externalId", value: "7" });
  await client.patchGroup(id, add);
  await client.patchGroup(id, { op: "remove", path: "members", value: [{ value: ada }] });
  await client.ask("DELETE", `/Groups/${id}`);
  const rows = await sql<Record<string, string>>(
    `select type, group_uid, audience, extensions, body_type, data from events
     where type like '%.scim_group.%' and substr(subject, 1, 57) = ? order by seq`,
    client.idp,
  );
  const [uid, first, second] = [id, ada, bob].map((one) => `${client.idp}/${one}`);
  const event = (verb: string, body: object) => ({
    type: `dev.vendor.api.iam.scim_group.${verb}.v1`,
    ...{ group_uid: client.organization.uid, audience: "customer" },
    extensions: { identityprovider: client.idp },
    body_type: "platform.events.v2.ScimGroup",
    data: {
      actor: { subject: client.idp },
      body: {
        ...{ uid, displayName: "Team", addedCount: 0, removedCount: 0, ...body },
        ...{ createTime: expect.any(String), updateTime: expect.any(String) },
      },
    },
  });
  const changed = { externalId: "7" };
  expect(
    rows.map(({ data = "", extensions = "", ...row }) => ({
      ...row,
      ...{ data: JSON.parse(data), extensions: JSON.parse(extensions) },
    })),
  ).toEqual([
    event("created", { addedCount: 1, addedUserUids: [first] }),
    event("updated", {
      ...{ ...changed, changedAttributes: ["externalId", "members"] },
      ...{ addedCount: 1, addedUserUids: [second] },
    }),
    event("updated", {
      ...{ ...changed, changedAttributes: ["members"] },
      ...{ removedCount: 1, removedUserUids: [first] },
    }),
    event("deleted", { ...changed, removedCount: 1, removedUserUids: [second] }),
  ]);
});
