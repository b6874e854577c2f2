/**
 * `platformctl bootstrap`: the first organization of a deployed platform, and its owner; or a new owner for an
 * organization that has lost all of them.
 */
import type { Command } from "commander";
import {
  type BootstrapResult,
  type BootstrapRows,
  bootstrapSql,
  firstRoles,
  sqlLiteral,
} from "../bootstrap.ts";
import { type D1Target, execute, queryRow } from "../cloudflare/d1.ts";
import { refusedFailure, usageFailure } from "../failure.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseOf } from "./database.ts";
import { makeOwner } from "./new_owner.ts";

type Options = JsonOption &
  DatabaseOptions & {
    organization: string;
    ownerOf?: string;
    besideOthers?: boolean;
    issuer: string;
    subject: string;
    name: string;
    dryRun?: boolean;
  };

/** What there is of the first rows. */
type ExistingRows = {
  organization: string | null;
  other: string | null;
  owner: string | null;
  isBound: number;
  othersBound: number;
};

/** Adds `bootstrapSql`. */
export function addBootstrap(program: Command): void {
  addJsonOption(
    addDatabaseOptions(
      program
        .command("bootstrap")
        .description(
          "make the first organization of a platform and its owner, or a new owner, by SQL through wrangler",
        )
        .option("--organization <name>", "name of the first organization, usually a domain")
        .option(
          "--owner-of <organization>",
          "instead: name or uid of an organization that has lost its owners",
        )
        .option("--beside-others", "with --owner-of: even if it has owners")
        .requiredOption("--issuer <url>", "issuer of the tokens that the owner logs in with")
        .requiredOption("--subject <sub>", "subject of those tokens, exactly")
        .option("--name <name>", "name of the owner's identity", "owner"),
    ).option("--dry-run", "print the SQL and change nothing"),
    "platformctl bootstrap --remote --organization example.com \\",
    "    --issuer https://accounts.google.com --subject 1234567890",
    "platformctl bootstrap --dry-run --organization example.com --issuer https://idp.example.com --subject me",
    "platformctl bootstrap --local --owner-of example.com --issuer https://idp.example.com --subject me",
  ).action(run);
}

async function run(options: Options): Promise<void> {
  const { ownerOf, organization } = options;
  if ((ownerOf === undefined) === (organization === undefined)) {
    throw usageFailure(
      "Name the organization: with --organization to make the first one, with --owner-of one that exists.",
    );
  }
  if (options.besideOthers && ownerOf === undefined)
    throw usageFailure("--beside-others goes with --owner-of.");
  if (ownerOf !== undefined) return makeOwner(databaseOf(options), { ...options, ownerOf });
  if (options.dryRun) {
    const rows = bootstrapSql(firstRows(options));
    printAnswer(
      options,
      { dryRun: true, ...toJsonResult(rows), sql: rows.sql },
      rows.sql.trimEnd(),
    );
    return;
  }
  const database = databaseOf(options, "(--dry-run needs neither.)");
  // Before anything runs: bad names are refused without waiting for the network.
  bootstrapSql(firstRows(options));
  const found = await readExistingRows(database, options);
  if (found.organization && found.owner && found.isBound) {
    const rows = { organization: found.organization, owner: found.owner };
    printReport(options, false, rows.organization, rows.owner);
    return;
  }
  refuseOtherOwners(options, found);
  const rows = bootstrapSql(firstRows(options, found));
  await execute(database, rows.sql);
  const after = await readExistingRows(database, options);
  if (!after.organization || !after.owner || !after.isBound) {
    throw refusedFailure("ABORTED", "Somebody else made a group meanwhile. Nothing was changed.");
  }
  printReport(options, true, after.organization, after.owner);
}

/** `found` is what a run that was interrupted has made already. */
function firstRows(options: Options, found?: ExistingRows): BootstrapRows {
  const { organization: name, issuer, subject } = options;
  return {
    organizations: [found?.organization ? { name, uid: found.organization } : { name }],
    owner: {
      name: options.name,
      claimMatch: { issuer, subject },
      ...(found?.owner ? { uid: found.owner } : {}),
    },
  };
}

function readExistingRows(database: D1Target, options: Options): Promise<ExistingRows> {
  const name = sqlLiteral(options.organization);
  const organization = `(SELECT uid FROM groups WHERE name = ${name} AND parent = '' AND verified = 1)`;
  const owner =
    `(SELECT uid FROM identities WHERE issuer = ${sqlLiteral(options.issuer)} ` +
    `AND subject = ${sqlLiteral(options.subject)} AND parent = '' ORDER BY create_time LIMIT 1)`;
  const sql =
    `SELECT ${organization} AS organization, ${owner} AS owner, ` +
    `(SELECT name FROM groups WHERE name <> ${name} OR verified = 0 LIMIT 1) AS other, ` +
    `EXISTS (SELECT 1 FROM role_bindings WHERE identity_uid IS NOT ${owner}) AS othersBound, ` +
    `(SELECT count(*) FROM role_bindings WHERE parent = ${organization} AND identity_uid = ${owner} ` +
    `AND role_uid IN (${firstRoles.map(sqlLiteral).join(", ")})) = ${firstRoles.length} AS isBound`;
  return queryRow(database, sql);
}

function refuseOtherOwners(options: Options, found: ExistingRows): void {
  if (found.other !== null) {
    throw refusedFailure(
      "ALREADY_EXISTS",
      `The platform is in use: it has a group named ${found.other}. Its owners make organizations and grant access.`,
    );
  }
  if (found.organization !== null && found.othersBound) {
    throw refusedFailure(
      "ALREADY_EXISTS",
      `The organization ${options.organization} is there already, with another owner. Its owners grant access.`,
    );
  }
}

const toJsonResult = ({ organizations, owner }: BootstrapResult) => ({
  organization: organizations[0],
  owner,
});

function printReport(
  options: Options,
  created: boolean,
  organization: string,
  owner: string,
): void {
  const value = {
    created,
    organization: { uid: organization, name: options.organization },
    owner: { uid: owner, issuer: options.issuer, subject: options.subject },
  };
  const text =
    `${created ? "Made" : "Already there:"} organization ${options.organization}  ${organization}\n` +
    `${created ? "Made" : "Already there:"} its owner  ${owner}\n` +
    `Log in with a token of ${options.issuer}: platformctl auth login --token-file FILE`;
  printAnswer(options, value, text);
}
