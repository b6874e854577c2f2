/**
 * The first rows of a platform: one or more verified organizations, and the identity that owns them and operates the
 * platform. No API call can create these rows, because no one can call the API yet.
 */
import { createHash, randomBytes } from "node:crypto";

/** A record of the platform with its readable name. `uid` is its path. */
export type NamedUid = { uid: string; name: string };

/** The rows to create. A missing uid is drawn at random. If you give every uid, a second run produces the same rows. */
export type BootstrapRows = {
  organizations: { name: string; uid?: string }[];
  owner: {
    name: string;
    uid?: string;
    /** The issuer and the subject of the tokens that the owner logs in with. Without it, only our own tokens work. */
    claimMatch?: { issuer: string; subject: string };
  };
  /** Milliseconds since 1970 UTC. The default is now. */
  now?: number;
};

/** `sql` creates exactly the rows that the other members name. */
export type BootstrapResult = { sql: string; organizations: NamedUid[]; owner: NamedUid };

/** A value that cannot be stored in a row. The message is for the user. */
export class BootstrapError extends Error {
  override name = "BootstrapError";
}

const organizationKind = { customer: 2 };
const organizationStatus = { ready: 2 };
const relationshipType = { none: 0, claimMatch: 1 };

/** The uid of a built-in role. The migrations derive it from the name of the role. */
const builtInRoleUid = (name: string) =>
  createHash("sha256").update(`role:${name}`).digest("hex").slice(0, 40);

/**
 * The roles of the owner on each organization: everything in the organization, and everything that only the operator of
 * the platform may do. No one else could give the operator role to the first operator.
 */
export const firstRoles = [builtInRoleUid("owner"), builtInRoleUid("operator")];

/**
 * Returns the SQL that creates the first rows, one statement a line. You can run it again: it leaves existing rows
 * alone. If any other group exists, it creates nothing, so save the result before you run the SQL. Throws
 * BootstrapError for a name or an issuer that the API would also reject.
 */
export function bootstrapSql(rows: BootstrapRows): BootstrapResult {
  const organizations = rows.organizations.map(({ name, uid }) => ({
    name,
    uid: uid ?? rootUid(),
  }));
  const owner = { name: rows.owner.name, uid: rows.owner.uid ?? rootUid() };
  for (const organization of organizations) checkOrganization(organization);
  checkOwner(owner, rows.owner.claimMatch);
  const now = Math.trunc(rows.now ?? Date.now());
  const sql = [
    ...organizations.map((organization) => insertOrganization(organization, organizations, now)),
    insertOwner(owner, rows.owner.claimMatch, organizations, now),
    ...organizations.flatMap((organization) =>
      firstRoles.map((role) => insertBinding(organization, owner, role, now)),
    ),
  ];
  return { sql: `${sql.join("\n")}\n`, organizations, owner };
}

const rootUid = () => randomBytes(20).toString("hex");

function insertOrganization({ uid, name }: NamedUid, all: NamedUid[], now: number): string {
  return (
    "INSERT INTO groups (uid, create_time, update_time, name, verified, kind, status) " +
    `SELECT ${sqlLiteral(uid)}, ${now}, ${now}, ${sqlLiteral(name)}, 1, ${organizationKind.customer}, ${organizationStatus.ready} ` +
    `WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid NOT IN (${uids(all)})) ` +
    `AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${sqlLiteral(name)} OR uid = ${sqlLiteral(uid)});`
  );
}

function insertOwner(
  { uid, name }: NamedUid,
  claimMatch: BootstrapRows["owner"]["claimMatch"],
  organizations: NamedUid[],
  now: number,
): string {
  const relationship = claimMatch
    ? JSON.stringify({ case: "claimMatch", value: claimMatch })
    : undefined;
  return (
    "INSERT INTO identities (uid, create_time, update_time, last_seen_time, name, " +
    "relationship_type, relationship, issuer, subject) " +
    `SELECT ${sqlLiteral(uid)}, ${now}, ${now}, ${now}, ${sqlLiteral(name)}, ` +
    `${claimMatch ? relationshipType.claimMatch : relationshipType.none}, ${sqlLiteral(relationship)}, ` +
    `${sqlLiteral(claimMatch?.issuer)}, ${sqlLiteral(claimMatch?.subject)} ` +
    `WHERE EXISTS (SELECT 1 FROM groups WHERE uid IN (${uids(organizations)})) ` +
    `AND NOT EXISTS (SELECT 1 FROM identities WHERE uid = ${sqlLiteral(uid)});`
  );
}

function insertBinding(organization: NamedUid, owner: NamedUid, role: string, now: number): string {
  const step = createHash("sha256").update(`${role} ${owner.uid}`).digest("hex").slice(0, 16);
  return (
    "INSERT INTO role_bindings (uid, create_time, update_time, identity_uid, role_uid) " +
    `SELECT ${sqlLiteral(`${organization.uid}/${step}`)}, ${now}, ${now}, ${sqlLiteral(owner.uid)}, ${sqlLiteral(role)} ` +
    `WHERE EXISTS (SELECT 1 FROM groups WHERE uid = ${sqlLiteral(organization.uid)}) ` +
    `AND EXISTS (SELECT 1 FROM identities WHERE uid = ${sqlLiteral(owner.uid)}) ` +
    "AND NOT EXISTS (SELECT 1 FROM role_bindings " +
    `WHERE parent = ${sqlLiteral(organization.uid)} AND identity_uid = ${sqlLiteral(owner.uid)} ` +
    `AND role_uid = ${sqlLiteral(role)});`
  );
}

/** The role that makes an identity an owner. */
export const ownerRole = builtInRoleUid("owner");

/** A person who becomes an owner of an existing organization. */
export type NewOwner = {
  /** The uid of the organization. */
  organization: string;
  owner: NamedUid;
  claimMatch: { issuer: string; subject: string };
  /** Whether to add the owner even if someone else is an owner. */
  besideOthers: boolean;
  /** Milliseconds since 1970 UTC. The default is now. */
  now?: number;
};

/**
 * Returns the uid that a login or a registration gives to the person with this issuer and subject. It is the first 40
 * hexadecimal digits of the SHA-256 of issuer, line feed and subject.
 */
export const personUid = ({ issuer, subject }: NewOwner["claimMatch"]): string =>
  createHash("sha256").update(`${issuer}\n${subject}`).digest("hex").slice(0, 40);

/** A condition: someone other than this identity is an owner of the organization and has accepted. */
const hasOthers = (organization: string, owner: string) =>
  "EXISTS (SELECT 1 FROM role_bindings JOIN identities ON identities.uid = role_bindings.identity_uid " +
  `WHERE role_bindings.parent = ${sqlLiteral(organization)} AND role_uid = ${sqlLiteral(ownerRole)} ` +
  `AND accepted = 1 AND identity_uid <> ${sqlLiteral(owner)})`;

/**
 * Returns the SQL that makes a person an owner of an organization, one statement a line. It creates the person if
 * necessary, and accepts a pending owner binding of the person. You can run it again. It changes nothing if someone
 * else is an owner, unless `besideOthers` is set. Throws BootstrapError for a name or an issuer that the API would
 * reject.
 */
export function newOwnerSql({
  organization,
  owner,
  claimMatch,
  besideOthers,
  now,
}: NewOwner): string {
  const parent = { uid: organization, name: "" };
  checkUid(organization);
  checkOwner(owner, claimMatch);
  const time = Math.trunc(now ?? Date.now());
  const alone = besideOthers ? "" : ` AND NOT ${hasOthers(organization, owner.uid)}`;
  const statements = [
    insertOwner(owner, claimMatch, [parent], time),
    `UPDATE role_bindings SET accepted = 1, update_time = max(${time}, update_time + 1) ` +
      `WHERE parent = ${sqlLiteral(organization)} AND identity_uid = ${sqlLiteral(owner.uid)} ` +
      `AND role_uid = ${sqlLiteral(ownerRole)} AND accepted = 0;`,
    insertBinding(parent, owner, ownerRole, time),
  ].map((statement) => statement.replace(/;$/, `${alone};`));
  return `${statements.join("\n")}\n`;
}

const uids = (rows: NamedUid[]) => rows.map((row) => sqlLiteral(row.uid)).join(", ");

/**
 * Returns an SQL literal. A value that could confuse a tool that splits SQL into statements is written as hexadecimal
 * bytes.
 */
export function sqlLiteral(value: string | undefined): string {
  if (value === undefined) return "NULL";
  if (/^[\x20-\x7e]*$/.test(value) && !/[;\\]|--|\/\*/.test(value)) {
    return `'${value.replaceAll("'", "''")}'`;
  }
  return `CAST(X'${Buffer.from(value, "utf8").toString("hex")}' AS TEXT)`;
}

function checkOrganization({ uid, name }: NamedUid): void {
  if (!/^[a-z0-9 ._-]{1,255}$/.test(name)) {
    throw new BootstrapError(
      `The organization's name must have 1 to 255 characters: lowercase letters, digits, spaces, dots, underscores and hyphens. You gave: ${name}`,
    );
  }
  checkUid(uid);
}

function checkOwner(
  { uid, name }: NamedUid,
  claimMatch: BootstrapRows["owner"]["claimMatch"],
): void {
  checkUid(uid);
  checkLine("owner's name", name);
  if (!claimMatch) return;
  checkLine("subject", claimMatch.subject);
  checkLine("issuer", claimMatch.issuer);
  const url = URL.parse(claimMatch.issuer);
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLoopback)) {
    throw new BootstrapError(
      `The issuer must be an https URL, or an http URL of localhost. You gave: ${claimMatch.issuer}`,
    );
  }
}

function checkUid(uid: string): void {
  if (!/^[0-9a-f]{40}$/.test(uid))
    throw new BootstrapError(
      `The uid of an organization or a person must have 40 hexadecimal digits. You gave: ${uid}`,
    );
}

function checkLine(what: string, value: string): void {
  const isPlain = [...value].every((letter) => letter >= " " && letter !== "\x7f");
  if (value === "" || value.length > 2048 || !isPlain) {
    throw new BootstrapError(`The ${what} must be a single line of 1 to 2048 characters.`);
  }
}
