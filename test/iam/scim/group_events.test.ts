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

test("an event of members shows the name that the group has then, also if another call renames it", async () => {
  const client = await newClient();
  const users: string[] = [];
  for (const userName of ["ada", "bob", "cy"]) users.push((await client.create({ userName })).id);
  const names = Array.from({ length: 15 }, (_, index) => `Team ${index}`);
  const rename = { op: "replace", path: "displayName" };
  for (const displayName of names) {
    const { id } = await client.createGroup({ displayName });
    const add = (value: string) =>
      client.patchGroup(id, { op: "add", path: "members", value: [{ value }] });
    const answers = await Promise.all([
      client.patchGroup(id, { ...rename, value: `${displayName} renamed` }),
      ...users.map(add),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const rows = await sql<{ data: string }>(
      "select data from events where subject = ? order by seq",
      `${client.idp}/${id}`,
    );
    const shown = rows.map(({ data }) => JSON.parse(data).body.displayName);
    const before = shown.indexOf(`${displayName} renamed`);
    expect(shown).toEqual([
      ...Array.from({ length: before }, () => displayName),
      ...Array.from({ length: 5 - before }, () => `${displayName} renamed`),
    ]);
  }
});
