/** Answers that contain a secret are stored encrypted, or not at all. */
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { services } from "../../schema/descriptors.ts";
import { SubscriptionSchema } from "../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { GroupSchema } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { BatchCreateRoleBindingsResponseSchema } from "../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { RepoSchema } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import type { Config } from "../../src/config.ts";
import { hasSecret, readAnswer, storedAnswer } from "../../src/idempotency/stored_answer.ts";
import { newIdentityProvider } from "../iam/identity_providers/openid_provider.ts";
import { startOwnPlatform } from "../world/own_platform.ts";
import { newIdentity, newOrganization, type Organization, roleUid } from "../world/personas.ts";
import { callRest, sql, tokenFor } from "../world/platform.ts";

let organization: Organization;
beforeEach(async () => {
  organization = await newOrganization();
});

const keyHeader = { "idempotency-key": "secret" };

const post = (path: string, body: object) =>
  callRest(path, { token: organization.owner.token, body, headers: keyHeader });

/** The calls whose answers contain a secret: how to make each, and the secret. */
const calls: Record<string, () => Promise<[path: string, body: object, member: string]>> = {
  CreateGroupInvite: async () => {
    const body = { roleUid: await roleUid("viewer"), ttl: "3600s" };
    return [`/iam/v2/groupInvites/${organization.uid}`, body, "code"];
  },
  CreateSubscription: async () => {
    const body = { sink: "https://hooks.example/secret" };
    return [`/events/v2/subscriptions/${organization.uid}`, body, "secret"];
  },
  RotateSubscriptionSecret: async () => {
    const made = await callRest(`/events/v2/subscriptions/${organization.uid}`, {
      token: organization.owner.token,
      body: { sink: "https://hooks.example/rotated" },
    });
    return [`/events/v2/subscriptions/${made.body.uid}:rotateSecret`, {}, "secret"];
  },
  CreateKey: async () => {
    const identity = await newIdentity(organization, "viewer");
    return [`/iam/v2/keys/${identity.uid}`, { name: "ci" }, "secret"];
  },
  GenerateScimToken: async () => {
    const { uid } = await newIdentityProvider(organization);
    return [`/iam/v2/identityProviders/${uid}:generateScimToken`, {}, "token"];
  },
  RegenerateScimToken: async () => {
    const { uid } = await newIdentityProvider(organization);
    const path = `/iam/v2/identityProviders/${uid}`;
    const made = await callRest(`${path}:generateScimToken`, {
      token: organization.owner.token,
      body: {},
    });
    return [`${path}:regenerateScimToken`, { etag: made.body.etag }, "token"];
  },
};

describe("an answer with a secret", () => {
  test.each(Object.entries(calls))("%s is given again, and stored encrypted", async (_, callOf) => {
    const [path, body, member] = await callOf();
    const first = await post(path, body);
    expect(first.status).toBe(200);
    expect(first.body[member]).toEqual(expect.any(String));
    const again = await post(path, body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    const [row] = await sql<{ form: string; answer: string }>(
      "select form, answer from idempotency_keys where organization_uid = ?",
      organization.uid,
    );
    expect(row?.form).toBe("sealed");
    const stored = row?.answer ?? "";
    const decoded = stored.split(".").map((part) => Buffer.from(part, "base64").toString("latin1"));
    for (const text of [stored, ...decoded]) expect(text).not.toContain(first.body[member]);
  });

  test("is known by the proto: these methods return one", () => {
    const posts = services.flatMap(({ methods }) => methods);
    const found = posts.filter(
      ({ name, output, parent }) =>
        parent.file.proto.package.endsWith(".v2") &&
        /^(Create|Generate|Regenerate|Rotate)/.test(name) &&
        hasSecret(output),
    );
    expect(new Set(found.map(({ name }) => name))).toEqual(
      new Set([...Object.keys(calls), "CreateIdentityProvider"]),
    );
  });
});

describe("a Worker without keys to encrypt", () => {
  let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
  beforeAll(async () => {
    platform = await startOwnPlatform({ bindings: { ENCRYPTION_KEYS: "" } });
  });
  afterAll(() => platform?.stop());

  test("stores no answer with a secret, and refuses to give it again", async () => {
    const person = "a".repeat(40);
    const group = "b".repeat(40);
    const at = "1, 1";
    for (const statement of [
      `insert into identities (uid, name, last_seen_time, create_time, update_time) values ('${person}', 'o', 1, ${at})`,
      `insert into groups (uid, name, create_time, update_time) values ('${group}', 'org', ${at})`,
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
        select '${group}/00000000000000aa', '${person}', uid, ${at} from roles where name = 'owner' and length(uid) = 40`,
    ])
      await platform.db.prepare(statement).run();
    const token = await tokenFor(person);
    const invite = async () => {
      const response = await fetch(`${platform.origin}/iam/v2/groupInvites/${group}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...keyHeader },
        body: JSON.stringify({ roleUid: await roleUid("viewer"), ttl: "3600s" }),
      });
      // Tests read answers of every shape.
      return {
        status: response.status,
        body: (await response.json()) as never as {
          code: string;
          details: { violations?: { type: string }[] }[];
        },
      };
    };
    const first = await invite();
    expect(first.status).toBe(200);
    const again = await invite();
    expect(again.status).toBe(400);
    expect(again.body.details[1]?.violations?.[0]?.type).toBe("ANSWER_NOT_KEPT");
    const { results } = await platform.db
      .prepare("select form, answer from idempotency_keys")
      .all();
    expect(results).toEqual([{ form: "secret", answer: null }]);
    const invites = await platform.db.prepare("select uid from group_invites").all();
    expect(invites.results.length).toBe(1);
  });
});

describe("a stored answer", () => {
  const config = { encryptionKeys: [] as string[] } as Config;
  const again = async (desc: DescMessage, answer: object) => {
    const stored = await storedAnswer(config, "key", desc, answer as never);
    return [stored.form, await readAnswer(config, "key", desc, stored)];
  };

  test("is plain if it is short", async () => {
    const repo = create(RepoSchema, { uid: "u", name: "n" });
    expect(await again(RepoSchema, repo)).toEqual(["plain", repo]);
  });

  test("is compressed if it is long", async () => {
    const group = create(GroupSchema, { uid: "u", description: "word ".repeat(10_000) });
    expect(await again(GroupSchema, group)).toEqual(["gzip", group]);
  });

  test("is not kept if it is too large after that", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const description = Buffer.from(bytes).toString("base64");
    const group = create(GroupSchema, { uid: "u", description });
    expect(toBinary(GroupSchema, group).length).toBeGreaterThan(64 * 1024);
    await expect(again(GroupSchema, group)).rejects.toThrow("too large to be kept");
  });

  test("is found to have a secret at any depth", () => {
    expect(hasSecret(SubscriptionSchema)).toBe(true);
    expect(hasSecret(BatchCreateRoleBindingsResponseSchema)).toBe(false);
  });
});
