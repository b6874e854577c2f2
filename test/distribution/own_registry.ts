/** A registry of its own for a test, with an organization whose owner may push. */
import type { D1Database } from "@cloudflare/workers-types";
import { startOwnPlatform } from "../world/own_platform.ts";
import { randomUid } from "../world/personas.ts";
import { registryAudience, tokenFor } from "../world/platform.ts";
import type { Target } from "./client.ts";

const ownerRole = "select uid from roles where name = 'owner' and length(uid) = 40";

/** Starts it. `target` is an image that does not exist yet. */
export async function startOwnRegistry(setting: Parameters<typeof startOwnPlatform>[0] = {}) {
  const platform = await startOwnPlatform({
    ...setting,
    bindings: { METER: "true", ...setting.bindings },
  });
  const { db, origin } = platform;
  const run = async <Row = Record<string, unknown>>(query: string, ...values: unknown[]) =>
    (
      await db
        .prepare(query)
        .bind(...values)
        .all<Row>()
    ).results;
  const { organization, owner } = await insertOrganization(db);
  const newTarget = async (name = "image"): Promise<Target> => ({
    origin,
    name: `${organization}/${name}`,
    token: await tokenFor(owner, { aud: registryAudience }, 3600),
  });
  /** Another organization, with the tokens of its owner for a day. */
  const newOwner = async () => {
    const { organization: uid, owner: identity } = await insertOrganization(db);
    const registryToken = await tokenFor(identity, { aud: registryAudience }, 24 * 3600);
    return { uid, registryToken, apiToken: await tokenFor(identity, {}, 24 * 3600) };
  };
  /** The uid of an identity of an organization that has nothing to do with the others, and without a role. */
  const newStranger = async () => {
    const stranger = `${randomUid()}/${randomUid().slice(0, 16)}`;
    const times = "create_time, update_time";
    await run(
      `insert into groups (uid, name, ${times}) values (?, 'other', 1, 1)`,
      stranger.slice(0, 40),
    );
    await run(
      `insert into identities (uid, name, last_seen_time, ${times}) values (?, 'stranger', 1, 1, 1)`,
      stranger,
    );
    return stranger;
  };
  return { ...platform, run, organization, owner, newTarget, newOwner, newStranger };
}

/** An organization, and an identity in it with the role owner. */
async function insertOrganization(db: D1Database) {
  const organization = randomUid();
  const name = `own-${organization.slice(0, 8)}`;
  const owner = `${organization}/${randomUid().slice(0, 16)}`;
  const times = "create_time, update_time";
  await db.batch([
    db
      .prepare(`insert into groups (uid, name, verified, ${times}) values (?, ?, 1, 1, 1)`)
      .bind(organization, name),
    db
      .prepare(
        `insert into identities (uid, name, last_seen_time, ${times}) values (?, 'owner', 1, 1, 1)`,
      )
      .bind(owner),
    db
      .prepare(
        `insert into role_bindings (uid, identity_uid, role_uid, accepted, ${times})
         values (?, ?, (${ownerRole}), 1, 1, 1)`,
      )
      .bind(`${organization}/${randomUid().slice(0, 16)}`, owner),
  ]);
  return { organization, owner };
}
