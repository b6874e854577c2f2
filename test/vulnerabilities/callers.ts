/** Organizations, callers and calls for the vulnerabilities tests. */
import { randomBytes } from "node:crypto";
import { type Answer, callRest, costOf, sql, tokenFor } from "../world/platform.ts";

/** The uids of built-in roles (migrations). */
export const roles = {
  owner: "4e13a874c5dfc25fa6c8f963f7172906b675d5eb",
  advisoriesAdmin: "287574b3539f05e585fb3c590fc3128d6c937078",
  advisoriesViewer: "26ce85bbe8c4ae7b9cae303b3e3e62532c70f38a",
} as const;

type Row = Record<string, string | number | null>;

/** Random lowercase hexadecimal text. */
export const randomHex = (length: number) => randomBytes(length / 2).toString("hex");

/** Inserts a row with its columns by name. */
export async function insertRow(table: string, row: Row): Promise<void> {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(",");
  await sql(`insert into ${table} (${names.join(",")}) values (${marks})`, ...Object.values(row));
}

/** A new organization, and a token of an identity with the role in it. */
export async function newTenant(role: string = roles.owner) {
  const group = randomHex(40);
  await insertRow("groups", { uid: group, name: `org-${group}`, create_time: 1, update_time: 1 });
  return { group, token: await newMember(group, role) };
}

/** A token of a new identity with the role in the group. */
export async function newMember(group: string, role: string): Promise<string> {
  const identity = `${group}/${randomHex(16)}`;
  const times = { create_time: 1, update_time: 1 };
  await insertRow("identities", { uid: identity, name: "someone", last_seen_time: 1, ...times });
  const binding = { uid: `${group}/${randomHex(16)}`, identity_uid: identity, role_uid: role };
  await insertRow("role_bindings", { ...binding, ...times });
  return tokenFor(identity);
}

/** A REST call of the domain, and its cost. It is a POST if there is a body, and otherwise a GET. */
export async function callApi(
  token: string,
  path: string,
  body?: unknown,
): Promise<Answer & ReturnType<typeof costOf>> {
  const answer = await callRest(`/vulnerabilities/v2/${path}`, { token, body });
  return { ...answer, ...costOf(answer) };
}
