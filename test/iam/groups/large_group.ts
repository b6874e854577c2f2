/** A group with so many rows in every table that the schedule removes them in batches. */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { callApi, type Registry } from "../../registry/repos/large_repository.ts";
import { randomName, randomUid } from "../../world/personas.ts";
import { requestId, tokenFor } from "../../world/platform.ts";

const issuer = "https://id.example";

/** A call with a token. */
export async function callAs(
  { origin }: Registry,
  token: string,
  path: string,
  { method, body }: { method?: string; body?: unknown } = {},
) {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${token}`, "x-request-id": requestId },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function create(registry: Registry, path: string, body: unknown): Promise<string> {
  const answer = await callApi(registry, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.uid;
}

/** A person, who has an identity of no group. */
async function newPerson({ run }: Registry): Promise<string> {
  const uid = randomUid();
  await run(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'person', 1, 1, 1)",
    uid,
  );
  return uid;
}

/** The rows of each kind that {@link newLargeGroup} inserts by default. */
export const many = 2_500;

const numbers = (n: number) =>
  `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${n})`;

/**
 * A group of the organization, with many rows of each kind. A person, an identity of the organization and one of the group own
 * it. Another person has not accepted their role binding, and a third one logs in through its identity provider.
 */
export async function newLargeGroup(registry: Registry, name: string, rows = many) {
  const { organization, run } = registry;
  const uid = await create(registry, `/iam/v2/groups/${organization}`, { name });
  const [member, guest, login] = [
    await newPerson(registry),
    await newPerson(registry),
    await newPerson(registry),
  ];
  const robot = await create(registry, `/iam/v2/identities/${organization}`, { name: "robot" });
  const bot = await create(registry, `/iam/v2/identities/${uid}`, { name: "bot" });
  const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_ROLE_BINDINGS_LIST"];
  const ownRole = await create(registry, `/iam/v2/roles/${uid}`, { name: "own", capabilities });
  const highRole = await create(registry, `/iam/v2/roles/${organization}`, {
    ...{ name: randomName("high"), capabilities },
  });
  const [[owner], [viewer]] = [await roleOf(registry, "owner"), await roleOf(registry, "viewer")];
  const provider = `${uid}/${randomUid().slice(0, 16)}`;
  await run(
    `insert into identity_providers (uid, name, default_role, issuer, client_id, create_time, update_time)
     values (?, 'provider', ?, ?, 'client', 1, 1)`,
    ...[provider, ownRole, issuer],
  );
  const binding = (at: string, identity: string, role = "", accepted = 1) =>
    run(
      `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time) values (?, ?, ?, ?, 1, 1)`,
      ...[`${uid}/${at.padStart(16, "0")}`, identity, role, accepted],
    );
  await binding("1", member, owner);
  await binding("2", guest, owner, 0);
  await binding("3", robot, owner);
  await binding("4", bot, owner);
  await binding("5", bot, ownRole);
  await binding("6", login, owner);
  const secret = randomUid();
  await fill(registry, { uid, provider, rows, viewer, ownRole, highRole, login, secret });
  const path = `/iam/v2/identityProviders/${provider}`;
  const issued = await callApi(registry, `${path}:generateScimToken`, { body: {} });
  await run("update identity_providers set scim_enabled = 1 where uid = ?", provider);
  const chain = [{ sub: login, idp: provider, iss: issuer, aud: "client" }];
  return {
    ...{ uid, name, provider, member, guest, robot, bot, login, ownRole, highRole },
    binding: `${uid}/${"1".padStart(16, "0")}`,
    pending: `${uid}/${"2".padStart(16, "0")}`,
    mapping: `${provider}/ff${"1".padStart(14, "0")}`,
    user: `${provider}/ff${"1".padStart(14, "0")}`,
    scimGroup: `${provider}/ff${"1".padStart(14, "0")}`,
    scimToken: String(issued.body.token),
    refreshToken: btoa(JSON.stringify({ exp: 9e9, secret })),
    tokens: {
      login: await tokenFor(login, { idp: provider, chain, scopes: [uid] } as never, 3600),
      member: await tokenFor(member, {}, 3600),
      guest: await tokenFor(guest, {}, 3600),
      robot: await tokenFor(robot, {}, 3600),
      bot: await tokenFor(bot, {}, 3600),
      chained: await tokenFor(robot, { chain: [{ sub: bot }, { sub: robot }] } as never, 3600),
    },
  };
}

export type LargeGroup = Awaited<ReturnType<typeof newLargeGroup>>;

const roleOf = async ({ run }: Registry, name: string) =>
  (
    await run<{ uid: string }>("select uid from roles where name = ? and length(uid) = 40", name)
  ).map(({ uid }) => uid);

interface Filling {
  uid: string;
  provider: string;
  rows: number;
  viewer: string | undefined;
  ownRole: string;
  highRole: string;
  login: string;
  secret: string;
}

async function fill({ run, organization }: Registry, given: Filling): Promise<void> {
  const { uid, provider, rows, viewer, ownRole, highRole, login, secret } = given;
  const step = `'/ff' || printf('%014x', i)`;
  const person = `'${uid.slice(-16)}' || printf('%024x', i)`;
  const digest = createHash("sha256").update(secret).digest("hex");
  const act = JSON.stringify({ sub: login, idp: provider, act: { iss: issuer, aud: "client" } });
  const statements = [
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) ${numbers(rows)}
      select '${uid}' || ${step}, ${person}, case i % 3 when 0 then '${viewer}' when 1 then '${ownRole}' else '${highRole}' end,
        1000 + i, 1000 + i from numbers`,
    `insert into group_access_requests (group_uid, identity_uid, time) ${numbers(rows)} select '${uid}', ${person}, 1 from numbers`,
    `insert into scim_users (uid, user_name, user_name_key, external_id, identity_uid, attributes, create_time, update_time)
      ${numbers(rows)} select '${provider}' || ${step}, 'u' || i, 'u' || i, 'x' || i, iif(i = 1, '${login}', null), '{}', 1, 1 from numbers`,
    `insert into scim_groups (uid, display_name, display_name_key, create_time, update_time) ${numbers(3)}
      select '${provider}' || ${step}, 'g' || i, 'g' || i, 1, 1 from numbers`,
    `insert into scim_group_members (group_uid, user_uid) ${numbers(rows)}
      select scim_groups.uid, '${provider}' || ${step} from numbers, scim_groups where scim_groups.parent = '${provider}'`,
    `insert into external_group_role_mappings (uid, external_group_id, role_uid, scope, create_time, update_time) ${numbers(rows)}
      select '${provider}' || ${step}, 'g' || i, iif(i = 1, '${ownRole}', '${highRole}'), '${organization}', 1, 1 from numbers`,
    `insert into sign_ins (identity_provider_uid, identity_uid, create_time, last_time) ${numbers(120)}
      select '${provider}', iif(i = 1, '${login}', ${person}), 1, 1 from numbers`,
    `insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time)
      ${numbers(120)} select iif(i = 1, '${digest}', '${digest}' || i), 'f' || i, iif(i = 1, '${login}', ${person}), '${provider}', '${act}', 1, 9e12
      from numbers`,
  ];
  for (const one of statements) await run(one);
}

/** The rows of a deleted group in every table, except for events. */
export async function rowsOf({ run }: Registry, uid: string) {
  const tables = await run<{ name: string; columns: string }>(
    `select name, (select json_group_array(name) from pragma_table_info(sqlite_schema.name)) as columns
     from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%'`,
  );
  const left: Record<string, number> = {};
  for (const { name, columns } of tables) {
    if (/^event|^deliver|^refresh/.test(name)) continue;
    const column = /"(uid|group_uid|identity_provider_uid|ancestor)"/.exec(columns)?.[1];
    if (!column) continue;
    const [row] = await run<{ n: number }>(
      `select count(*) as n from "${name}" where "${column}" >= ?1 and "${column}" < ?1 || '0'`,
      uid,
    );
    if (row && row.n > 0) left[name] = row.n;
  }
  return left;
}
