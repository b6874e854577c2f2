import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../../schema/gen/google/rpc/error_details_pb.js";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  GroupInviteRequestSchema,
  GroupInvites,
} from "../../../schema/gen/platform/iam/group_invites_pb.js";
import { expectLog } from "../../world/logs.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, clientOf, sql, tokenFor } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  viewer = await roleUid("viewer");
});

const list = (as: string) => callRest("/iam/v1/group_invites", { token: as });
const accept = (code: string, as: string) =>
  callRest("/iam/v2/groupInvites:accept", { token: as, body: { code } });

describe("CreateWithGroup", () => {
  let person: Persona;
  let name: string;
  beforeEach(async () => {
    person = await newUser();
    name = randomName("founded");
  });

  const found = (given: object = {}, as = person.token) =>
    clientOf(GroupInvites, as).createWithGroup(
      create(GroupInviteRequestSchema, { group: name, ttl: durationFromMs(3_600_000), ...given }),
    );

  async function refusal(asked: Promise<unknown>) {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => ConnectError.from(thrown),
    );
    const [bad] = error?.findDetails(BadRequestSchema) ?? [];
    return [error && Code[error.code], bad?.fieldViolations.map(({ field }) => field)];
  }

  const founded = () => sql<{ uid: string }>("select uid from groups where name = ?", name);

  test("creates an organization that the caller owns, and an invite for its next owner", async () => {
    const made = await found({ email: "ann@corp.example", singleUse: true });
    const [{ uid = "" } = {}] = await founded();
    expect(made.id.slice(0, -17)).toBe(uid);
    expect(made.role).toMatchObject({ id: await roleUid("owner"), name: "owner" });
    const as = person.token;
    expect((await callRest(`/iam/v1/groups?id=${uid}`, { token: as })).body.items).toEqual([
      { id: uid, name, verified: false, status: "ORG_STATUS_READY" },
    ]);
    const { items } = (await callRest("/iam/v1/rolebindings", { token: as })).body;
    expect(items).toMatchObject([{ identity: person.uid, role: { name: "owner" } }]);
    const [stored] = (await list(as)).body.items;
    expect(stored).toMatchObject({ id: made.id, email: "ann@corp.example", singleUse: true });
    expect(stored).toMatchObject({ keyId: made.keyId, role: { name: "owner" } });
  });

  test("creates an organization and a code that works for its next owner", async () => {
    const { code } = await found();
    const guest = await newUser();
    expect((await accept(code, guest.token)).body.role.name).toBe("owner");
    const { items } = (await callRest("/iam/v1/groups", { token: guest.token })).body;
    expect(items).toMatchObject([{ name }]);
  });

  test("invites to another built-in role if the request names one", async () => {
    expect((await found({ role: viewer })).role).toMatchObject({ id: viewer, name: "viewer" });
  });

  test("writes the events of a group and of an invite", async () => {
    const { id } = await found();
    const [{ uid = "" } = {}] = await founded();
    const received = await sql<{ data: string }>(
      "select * from events where group_uid = ? order by type",
      uid,
    );
    expect(received).toMatchObject([
      {
        type: "dev.vendor.api.iam.group.created.v1",
        source: "http://localhost:8787/iam/v1/groups",
        subject: uid,
        body_type: "platform.iam.Group",
      },
      {
        type: "dev.vendor.api.iam.group_invite.created.v1",
        source: "http://localhost:8787/iam/v1/group_invites",
        subject: id,
        body_type: "platform.iam.GroupInvite",
      },
    ]);
    const [group, invited] = received.map(({ data }) => JSON.parse(data));
    expect(group).toMatchObject({ actor: { subject: person.uid }, body: { id: uid, name } });
    expect(Object.keys(invited.body)).toEqual(["id", "expiration"]);
  });

  test.each([
    ["without a name", { group: "" }, "group"],
    ["with an invalid name", { group: "Corp" }, "group"],
    ["with a uid for a name", { group: "0".repeat(40) }, "group"],
    ["without a ttl", { ttl: undefined }, "ttl"],
    ["with a ttl of nothing", { ttl: durationFromMs(0) }, "ttl"],
    ["with no address for an e-mail", { email: "ann" }, "email"],
    ["with a role that is malformed", { role: "owner" }, "role"],
    ["with an unknown role", { role: "0".repeat(40) }, "role"],
  ])("rejects %s, naming the field, and writes nothing", async (_, given, field) => {
    expect(await refusal(found(given))).toEqual(["InvalidArgument", [field]]);
    expect(await founded()).toEqual([]);
    expect(await sql("select uid from role_bindings where identity_uid = ?", person.uid)).toEqual(
      [],
    );
  });

  test("explains a uid as a name in the words of version 1", async () => {
    await expect(found({ group: "0".repeat(40) })).rejects.toMatchObject({
      rawMessage: expect.stringMatching(
        /: group: group must not be a uid; it is the name of the new organization/,
      ),
    });
  });

  test("grants no role of an organization, and none with capabilities that an owner does not have", async () => {
    const body = { name: "r", capabilities: ["repo.list"] };
    const theirs = await createResource(`/iam/v1/roles/${organization.uid}`, token, body);
    expect(await refusal(found({ role: theirs.id }))).toEqual(["InvalidArgument", ["role"]]);
    const operator = await roleUid("operator");
    expect(await refusal(found({ role: operator }))).toEqual(["PermissionDenied", undefined]);
    expect(await founded()).toEqual([]);
  });

  test("is for people, with a token that is not limited to groups and has the required capabilities", async () => {
    const bot = await newIdentity(organization, "owner");
    const { CAP_IAM_GROUP_INVITES_CREATE, CAP_IAM_ROLE_BINDINGS_CREATE, CAP_IAM_GROUPS_CREATE } =
      Capability;
    const needed = [CAP_IAM_GROUP_INVITES_CREATE, CAP_IAM_ROLE_BINDINGS_CREATE];
    for (const as of [
      bot.token,
      await tokenFor(person.uid, { scopes: [organization.uid] }),
      await tokenFor(person.uid, { capabilities: needed }),
      await tokenFor(person.uid, { capabilities: [CAP_IAM_GROUPS_CREATE] }),
      // Makes organizations and invites, but does not hold all that an owner holds.
      await tokenFor(person.uid, { capabilities: [...needed, CAP_IAM_GROUPS_CREATE] }),
    ]) {
      expect(await refusal(found({}, as))).toEqual(["PermissionDenied", undefined]);
    }
    expect(await founded()).toEqual([]);
  });

  test("requires groups.create too, with any other capabilities of the token", async () => {
    const all = Object.values(Capability).filter((one) => typeof one === "number" && one > 0);
    const but = all.filter((one) => one !== Capability.CAP_IAM_GROUPS_CREATE) as number[];
    const as = await tokenFor(person.uid, { capabilities: but });
    expect(await refusal(found({ role: viewer }, as))).toEqual(["PermissionDenied", undefined]);
    expect(await founded()).toEqual([]);
    const withIt = await tokenFor(person.uid, { capabilities: all as number[] });
    expect((await found({ role: viewer }, withIt)).role).toMatchObject({ id: viewer });
  });

  test("writes all or nothing", async () => {
    const refused = `refused_${randomUid()}`;
    await sql(
      `create trigger ${refused} before insert on group_invites when new.email = '${refused}@b.example'
       begin select raise(abort, '${refused}'); end`,
    );
    const logged = await expectLog(refused);
    try {
      const [code] = await refusal(found({ email: `${refused}@b.example` }));
      expect(code).toBe("Internal");
      expect(await logged()).toContain("at ");
    } finally {
      await sql(`drop trigger ${refused}`);
    }
    expect(await founded()).toEqual([]);
    const received = "select id from events where json_extract(data, '$.actor.subject') = ?";
    expect(await sql(received, person.uid)).toEqual([]);
  });

  test("has no REST path", async () => {
    const { status } = await callRest("/iam/v1/group_invites", {
      token: person.token,
      body: { group: name, ttl: "3600s" },
    });
    expect(status).not.toBe(200);
    expect(await founded()).toEqual([]);
  });
});
