/**
 * The first rows of a platform, which no API call can make because nobody may call it yet: one or
 * more verified organizations, and the identity that owns them and operates the platform.
 */
import { createHash, randomBytes } from "node:crypto";

/** A record of the platform, named as people name it. `uid` is its path. */
export type NamedUid = { uid: string; name: string };

/** What to make. A uid left out is drawn at random; a run that names them all is repeatable. */
export type BootstrapRows = {
  organizations: { name: string; uid?: string }[];
  owner: {
    name: string;
    uid?: string;
    /** Whose tokens the owner logs in with; both or neither. Without, only our own tokens do. */
    claimMatch?: { issuer: string; subject: string };
  };
  /** Milliseconds since 1970 UTC; now if left out. */
  now?: number;
};

/** `sql` makes exactly the rows named beside it. */
export type BootstrapResult = { sql: string; organizations: NamedUid[]; owner: NamedUid };

/** A value that cannot be a row; the message is for the user. */
export class BootstrapError extends Error {
  override name = "BootstrapError";
}

const organizationKind = { customer: 2 };
const organizationStatus = { ready: 2 };
const relationshipType = { none: 0, claimMatch: 1 };

/** Uid of a built-in role, which migrations make of its name. */
const builtInRoleUid = (name: string) =>
  createHash("sha256").update(`role:${name}`).digest("hex").slice(0, 40);

/**
 * What the owner gets on each organization: everything in it, and what only the operator of the
 * platform may do, which nobody else could give to the first one.
 */
export const firstRoles = [builtInRoleUid("owner"), builtInRoleUid("operator")];

/**
 * The SQL for some first rows, one statement a line. It may be run again: what is there stays. It
 * makes nothing where there is a group other than these, so save its answer before running it.
 * Throws BootstrapError for a name or issuer that the API would not take either.
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
    ...organizations.map((one) => insertOrganization(one, organizations, now)),
    insertOwner(owner, rows.owner.claimMatch, organizations, now),
    ...organizations.flatMap((one) =>
      firstRoles.map((role) => insertBinding(one, owner, role, now)),
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

/** The role that makes an owner. */
export const ownerRole = builtInRoleUid("owner");

/** Who becomes an owner of an organization that is there. */
export type NewOwner = {
  /** Uid of the organization. */
  organization: string;
  owner: NamedUid;
  claimMatch: { issuer: string; subject: string };
  /** Also where somebody else is an owner. */
  besideOthers: boolean;
  /** Milliseconds since 1970 UTC; now if left out. */
  now?: number;
};

/**
 * The uid of the person whom an issuer calls by a subject, the one that a login or a registration gives them: the
 * first 40 hex characters of SHA-256 over issuer, line feed and subject.
 */
export const personUid = ({ issuer, subject }: NewOwner["claimMatch"]): string =>
  createHash("sha256").update(`${issuer}\n${subject}`).digest("hex").slice(0, 40);

/** A condition: the organization has an owner beside this identity, who has accepted. */
const hasOthers = (organization: string, owner: string) =>
  "EXISTS (SELECT 1 FROM role_bindings JOIN identities ON identities.uid = role_bindings.identity_uid " +
  `WHERE role_bindings.parent = ${sqlLiteral(organization)} AND role_uid = ${sqlLiteral(ownerRole)} ` +
  `AND accepted = 1 AND identity_uid <> ${sqlLiteral(owner)})`;

/**
 * The SQL that makes a person an owner of an organization, one statement a line: it makes the person where there is
 * none, and accepts an owner's binding of theirs that is pending. It may be run again. It changes nothing where
 * somebody else is an owner, unless `besideOthers`. Throws BootstrapError for a name or issuer that the API would not take.
 */
export function newOwnerSql({
  organization,
  owner,
  claimMatch,
  besideOthers,
  now,
}: NewOwner): string {
  const place = { uid: organization, name: "" };
  checkUid(organization);
  checkOwner(owner, claimMatch);
  const time = Math.trunc(now ?? Date.now());
  const alone = besideOthers ? "" : ` AND NOT ${hasOthers(organization, owner.uid)}`;
  const statements = [
    insertOwner(owner, claimMatch, [place], time),
    `UPDATE role_bindings SET accepted = 1, update_time = max(${time}, update_time + 1) ` +
      `WHERE parent = ${sqlLiteral(organization)} AND identity_uid = ${sqlLiteral(owner.uid)} ` +
      `AND role_uid = ${sqlLiteral(ownerRole)} AND accepted = 0;`,
    insertBinding(place, owner, ownerRole, time),
  ].map((one) => one.replace(/;$/, `${alone};`));
  return `${statements.join("\n")}\n`;
}

const uids = (rows: NamedUid[]) => rows.map((row) => sqlLiteral(row.uid)).join(", ");

/**
 * An SQL literal. What a tool that cuts SQL into statements could stumble over goes as bytes, and
 * so stands in no statement as it is.
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
      `The organization's name must be 1 to 255 lower-case letters, digits, spaces, dots, underscores and dashes: ${name}`,
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
      `The issuer must be an https URL (http only for localhost): ${claimMatch.issuer}`,
    );
  }
}

function checkUid(uid: string): void {
  if (!/^[0-9a-f]{40}$/.test(uid)) throw new BootstrapError(`Not a uid of 40 hex digits: ${uid}`);
}

function checkLine(what: string, value: string): void {
  const isPlain = [...value].every((letter) => letter >= " " && letter !== "\x7f");
  if (value === "" || value.length > 2048 || !isPlain) {
    throw new BootstrapError(`The ${what} must be one line of 1 to 2048 characters.`);
  }
}
