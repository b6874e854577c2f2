/** Names instead of uids in the rows of a table: who did something, and to what. */
import type { CatalogResource } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { isUid, organizationOf, parentOf, readNames } from "./names.ts";
import { readIdentityLabels } from "./people.ts";
import type { PlatformClient } from "./platform.ts";
import { withRoleNames } from "./tag_rules.ts";

/** Members of a row that no resource has. */
const whoMember = " who";
const whatMember = " what";

/** Returns the rows with what their tables show by name. */
export async function withNames(
  platform: PlatformClient,
  resource: CatalogResource,
  rows: JsonObject[],
): Promise<JsonObject[]> {
  if (resource.name === "event") return withEventNames(platform, rows);
  if (resource.name === "recordedTagMove") return withMovers(platform, rows);
  return withRoleNames(platform, resource, rows);
}

const actorOf = ({ actor }: JsonObject) => String((actor as JsonObject | undefined)?.subject ?? "");

async function withEventNames(platform: PlatformClient, rows: JsonObject[]) {
  const places = rows.flatMap(({ subject, repoUid }) => [
    String(subject ?? ""),
    String(repoUid ?? ""),
  ]);
  const [names, labels] = await Promise.all([
    readNames(platform, places),
    readIdentityLabels(
      platform,
      rows.flatMap((row) => [actorOf(row), String(row.subject ?? "")]).filter(isUid),
      rows.map(({ uid }) => organizationOf(String(uid))),
    ),
  ]);
  const nameOf = (row: JsonObject) => {
    const { subject, repoUid, tag, body } = row;
    const repo = names.get(String(repoUid ?? ""));
    if (repo && tag) return `${repo}:${tag}`;
    const own = names.get(String(subject)) ?? labels.get(String(subject));
    const known = own ?? (body as JsonObject | undefined)?.name;
    return known ? String(known) : undefined;
  };
  return rows.map((row) => ({
    ...row,
    [whatMember]: nameOf(row),
    [whoMember]: labels.get(actorOf(row)),
  }));
}

async function withMovers(platform: PlatformClient, rows: JsonObject[]) {
  const labels = await readIdentityLabels(
    platform,
    rows.map(({ identityUid }) => String(identityUid ?? "")),
    rows.map(({ repoUid }) => organizationOf(String(repoUid))),
  );
  return rows.map((row) => ({ ...row, [whoMember]: labels.get(String(row.identityUid ?? "")) }));
}

/** Returns who did something, by name if it is known. */
export const whoOf = (row: JsonObject, uid: unknown): string => String(row[whoMember] ?? uid ?? "");

/** Returns what an event is about, by name if it is known. */
export const whatOf = (row: JsonObject): string => {
  const { subject } = row;
  return String(row[whatMember] ?? parentlessUid(String(subject ?? "")));
};

/** The last part of a uid is enough for people, as those of commits are. */
const parentlessUid = (uid: string) =>
  parentOf(uid) === undefined ? uid.slice(0, 12) : `…${uid.slice(-17)}`;
