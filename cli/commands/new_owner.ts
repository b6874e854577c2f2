/** `platformctl bootstrap --owner-of`: adds an owner to an organization that has none. */
import { type NewOwner, newOwnerSql, ownerRole, personUid, sqlLiteral } from "../bootstrap.ts";
import { type D1Target, execute, queryRow } from "../cloudflare/d1.ts";
import { refusedFailure } from "../failure.ts";
import { type JsonOption, printAnswer } from "./answer.ts";
import { onlyOrganization, selectOrganizations } from "./organization_row.ts";

export type NewOwnerOptions = JsonOption & {
  ownerOf: string;
  issuer: string;
  subject: string;
  ownerName: string;
  besideOthers?: boolean;
  dryRun?: boolean;
};

/** The state of the organization and of the person in the database. Lists are JSON. */
type OrganizationState = {
  /** Uids and names of the organizations with that name or uid. */
  organizations: string;
  /** The uid of the person, or null if the person does not exist. */
  person: string | null;
  /** Whether the person has an accepted role binding as owner. */
  isOwner: number;
  /** Whether the person can only log in through a provider, and not with a token of the issuer. */
  needsLogin: number;
  /** Names and uids of the other owners. */
  others: string;
};

/**
 * Makes the person an owner of the organization. Throws a Failure if the organization has one, unless the options allow
 * it.
 */
export async function makeOwner(database: D1Target, options: NewOwnerOptions): Promise<void> {
  const claimMatch = { issuer: options.issuer, subject: options.subject };
  const blank = { uid: personUid(claimMatch), name: options.ownerName };
  const wanted = { claimMatch, besideOthers: options.besideOthers ?? false };
  // This checks the names before the command waits for the network.
  newOwnerSql({ ...wanted, organization: blank.uid, owner: blank });
  const state = await readOrganizationState(database, options);
  const organization = onlyOrganization(JSON.parse(state.organizations), options.ownerOf);
  const owner = { ...blank, uid: state.person ?? blank.uid };
  const row: NewOwner = { ...wanted, organization: organization.uid, owner };
  if (!state.isOwner) refuseOthers(state, options, organization.name);
  const sql = newOwnerSql(row);
  if (options.dryRun) {
    printAnswer(options, { dryRun: true, organization, owner, sql }, sql.trimEnd());
    return;
  }
  if (state.isOwner) return report(options, { organization, owner, after: state, made: false });
  await execute(database, sql);
  const after = await readOrganizationState(database, options);
  if (!after.isOwner) {
    throw refusedFailure("ABORTED", "Someone else has just become an owner. Nothing was changed.");
  }
  report(options, { organization, owner, after, made: true });
}

function readOrganizationState(
  database: D1Target,
  { ownerOf, issuer, subject }: NewOwnerOptions,
): Promise<OrganizationState> {
  const uid = sqlLiteral(personUid({ issuer, subject }));
  const select = selectOrganizations(ownerOf);
  // A person created by a login or a registration takes precedence over one created with the first organization.
  const person =
    `(SELECT uid FROM identities WHERE parent = '' AND (uid = ${uid} OR (issuer = ${sqlLiteral(issuer)} ` +
    `AND subject = ${sqlLiteral(subject)})) ORDER BY uid = ${uid} DESC, create_time LIMIT 1)`;
  const owners =
    "FROM role_bindings JOIN identities ON identities.uid = role_bindings.identity_uid " +
    `WHERE role_bindings.parent IN (SELECT uid FROM (${select})) ` +
    `AND role_uid = ${sqlLiteral(ownerRole)} AND accepted = 1 AND identity_uid`;
  const sql =
    `SELECT (SELECT json_group_array(json_object('uid', uid, 'name', name)) FROM (${select})) AS organizations, ` +
    `${person} AS person, EXISTS (SELECT 1 ${owners} = ${person}) AS isOwner, ` +
    `EXISTS (SELECT 1 FROM identities WHERE uid = ${person} AND issuer IS NULL AND relationship IS NOT NULL) AS needsLogin, ` +
    "(SELECT json_group_array(owner) FROM (SELECT identities.name || ' (' || identities.uid || ')' AS owner " +
    `${owners} IS NOT ${person} LIMIT 10)) AS others`;
  return queryRow(database, sql);
}

function refuseOthers(
  { others }: OrganizationState,
  { besideOthers }: NewOwnerOptions,
  name: string,
): void {
  const owners = JSON.parse(others) as string[];
  if (owners.length === 0 || besideOthers) return;
  throw refusedFailure(
    "ALREADY_EXISTS",
    `The organization ${name} has owners, who can add others: ${owners.join(", ")}. ` +
      "If they can no longer log in, add `--beside-others`.",
  );
}

type Outcome = { made: boolean; after: OrganizationState } & Pick<NewOwner, "owner"> & {
    organization: { uid: string; name: string };
  };

function report(options: NewOwnerOptions, { made, organization, owner, after }: Outcome): void {
  const { issuer, subject } = options;
  const needsLogin = after.needsLogin === 1;
  const value = {
    created: made,
    organization,
    owner: { uid: owner.uid, issuer, subject },
    needsLogin,
  };
  const how = needsLogin
    ? `This person can log in only through the organization's identity provider for ${issuer}. To log in, run: platformctl auth login --org ${organization.uid}`
    : `To log in with a token of ${issuer}, run: platformctl auth login --token-file FILE`;
  const text =
    `${made ? "Added an owner to" : "Found the existing owner of"} ${organization.name}  ${organization.uid}\n` +
    `Owner  ${owner.uid}\n${how}`;
  printAnswer(options, value, text);
}
