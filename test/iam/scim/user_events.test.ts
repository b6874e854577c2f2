/** Every change of a user over SCIM is an event, without the personal data of the user. */
import { beforeEach, describe, expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import { randomUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { type Client, clientOf, newClient, patchSchema, userSchema } from "./client.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

/** The events about users of the provider, oldest first. */
async function events() {
  const rows = await sql<Record<string, string>>(
    `select type, source, subject, group_uid, parent, audience, extensions, body_type, data, request_id
     from events where type like '%.scim_user.%' and substr(subject, 1, 57) = ?
     order by seq`,
    client.idp,
  );
  return rows.map(({ data = "", extensions = "", ...row }) => ({
    ...row,
    extensions: JSON.parse(extensions),
    ...JSON.parse(data),
  }));
}

const replace = (path: string, value: unknown) => ({ op: "replace", path, value });
const ada = { userName: "ada@people.example", externalId: "7", displayName: "Ada Lovelace" };

describe("an event", () => {
  test("follows each change of a user, in the order of the changes", async () => {
    const { id, meta } = (await client.create(ada)) as { id: string; meta: Record<string, string> };
    const uid = `${client.idp}/${id}`;
    await sql("update scim_users set identity_uid = 'person' where uid = ?", uid);
    await client.patch(id, replace("displayName", "Ada King"), replace("title", "countess"));
    const { body } = await client.patch(id, replace("active", false));
    await client.ask("DELETE", `/Users/${id}`);
    const group = client.organization.uid;
    const event = (verb: string) => ({
      type: `dev.vendor.api.iam.scim_user.${verb}.v1`,
      source: "http://localhost:8787/scim/v2",
      ...{ subject: uid, group_uid: group, parent: group, audience: "customer" },
      extensions: { identityprovider: client.idp },
      body_type: "platform.events.v2.ScimUser",
      request_id: expect.stringMatching(/./),
      actor: { subject: client.idp },
    });
    const { userName, externalId } = ada;
    const user = { uid, userName, externalId, createTime: meta.created };
    const known = { ...user, active: true, identityUid: "person" };
    const later = expect.stringMatching(/^\d{4}-.*Z$/);
    const last = {
      ...user,
      active: false,
      identityUid: "person",
      updateTime: body.meta.lastModified,
    };
    expect(await events()).toEqual([
      { ...event("created"), body: { ...user, active: true, updateTime: meta.created } },
      {
        ...event("updated"),
        body: { ...known, changedAttributes: ["displayName", "title"], updateTime: later },
      },
      { ...event("updated"), body: { ...last, changedAttributes: ["active"] } },
      { ...event("deleted"), body: last },
    ]);
    expect(JSON.stringify(await events())).not.toContain("King");
  });

  test("of a replaced user shows that the person is no longer theirs", async () => {
    const { id } = await client.create(ada);
    await sql("update scim_users set identity_uid = 'person' where uid = ?", `${client.idp}/${id}`);
    const other = { schemas: [userSchema], userName: ada.userName, externalId: "8" };
    expect((await client.ask("PUT", `/Users/${id}`, other)).status).toBe(200);
    const [, event] = await events();
    expect(event?.body).toMatchObject({
      externalId: "8",
      changedAttributes: ["displayName", "externalId"],
    });
    expect(event?.body).not.toHaveProperty("identityUid");
  });

  test("is not written for a change that is refused or changes nothing", async () => {
    const { id } = await client.create(ada);
    const schemas = [userSchema];
    const operations = { schemas: [patchSchema], Operations: [replace("active", false)] };
    const stranger = clientOf(client.organization, client.idp, "wrong");
    const answers = [
      await client.ask("POST", "/Users", { schemas, ...ada }),
      await client.ask("POST", "/Users", { schemas }),
      await client.ask("PUT", `/Users/${id}`, { schemas }),
      await client.ask("PATCH", `/Users/${id}`, operations, { "if-match": 'W/"1"' }),
      await client.ask("DELETE", `/Users/${"0".repeat(16)}`),
      await stranger.patch(id, replace("active", false)),
      await client.patch(id, replace("displayName", ada.displayName)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 400, 400, 412, 404, 401, 200]);
    expect((await events()).map(({ type }) => type)).toEqual([
      "dev.vendor.api.iam.scim_user.created.v1",
    ]);
  });

  test("that cannot be written keeps the user from changing", async () => {
    const { id } = await client.create(ada);
    const rows = () => sql("select * from scim_users where parent = ?", client.idp);
    const before = await rows();
    const name = `refused_${randomUid()}`;
    await sql(
      `create trigger ${name} before insert on events
       when new.extensions ->> 'identityprovider' = '${client.idp}'
       begin select raise(abort, '${name}'); end`,
    );
    const logged = await expectLog(name);
    const answers = [
      await client.ask("POST", "/Users", { schemas: [userSchema], userName: "eve" }),
      await client.patch(id, replace("active", false)),
      await client.ask("DELETE", `/Users/${id}`),
    ];
    await sql(`drop trigger ${name}`);
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect(await logged()).toContain("at ");
    expect(await rows()).toEqual(before);
  });
});
