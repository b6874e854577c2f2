/**
 * `platformctl bootstrap`: creates the first organization of a deployed platform and its owner, or a new owner for an
 * organization that has lost all of its owners.
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
import { optionNamed } from "../resources/options.ts";
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
    ownerName: string;
    dryRun?: boolean;
  };

/** The first rows that already exist. */
type ExistingRows = {
  organization: string | null;
  other: string | null;
  owner: string | null;
  isBound: number;
  othersBound: number;
};

/** Adds `bootstrap`. */
export function addBootstrap(program: Command): void {
  addJsonOption(
    addDatabaseOptions(
      program
        .command("bootstrap")
        .description(
          "Create the first organization of a platform, or an owner for an organization. With --remote, the command runs SQL through wrangler.",
        )
        .option("--organization <name>", "Name of the first organization, usually a domain.")
        .option(
          "--owner-of <organization>",
          "Name or uid of an existing organization that has lost its owners. Add an owner to it.",
        )
        .option(
          "--beside-others",
          "With --owner-of, add the owner even if the organization has other owners.",
        )
        .addOption(optionNamed("issuer").makeOptionMandatory())
        .requiredOption("--subject <sub>", "Exact subject of those tokens.")
        .option("--owner-name <name>", "Name of the owner's identity.", "owner"),
    ).addOption(optionNamed("dryRun")),
    "platformctl bootstrap --remote --organization acme.example \\",
    "    --issuer https://accounts.google.com --subject 1234567890",
    "platformctl bootstrap --dry-run --organization acme.example --issuer https://idp.example.com --subject me",
    "platformctl bootstrap --local --owner-of acme.example --issuer https://idp.example.com --subject me",
  ).action(run);
}

async function run(options: Options): Promise<void> {
  const { ownerOf, organization } = options;
  if ((ownerOf === undefined) === (organization === undefined)) {
    throw usageFailure(
      "Name an organization: use --organization to create the first one, or --owner-of for an existing one.",
    );
  }
  if (options.besideOthers && ownerOf === undefined)
    throw usageFailure("--beside-others needs --owner-of.");
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
  const database = databaseOf(options, "With --dry-run, you need neither.");
  // This checks the names before the command waits for the network.
  bootstrapSql(firstRows(options));
  const existing = await readExistingRows(database, options);
  if (existing.organization && existing.owner && existing.isBound) {
    const rows = { organization: existing.organization, owner: existing.owner };
    printReport(options, false, rows.organization, rows.owner);
    return;
  }
  refuseOtherOwners(options, existing);
  const rows = bootstrapSql(firstRows(options, existing));
  await execute(database, rows.sql);
  const after = await readExistingRows(database, options);
  if (!after.organization || !after.owner || !after.isBound) {
    throw refusedFailure("ABORTED", "Someone else has just created a group. Nothing was changed.");
  }
  printReport(options, true, after.organization, after.owner);
}

/** `existing` contains the rows that an interrupted run has already created. */
function firstRows(options: Options, existing?: ExistingRows): BootstrapRows {
  const { organization: name, issuer, subject } = options;
  return {
    organizations: [existing?.organization ? { name, uid: existing.organization } : { name }],
    owner: {
      name: options.ownerName,
      claimMatch: { issuer, subject },
      ...(existing?.owner ? { uid: existing.owner } : {}),
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

function refuseOtherOwners(options: Options, existing: ExistingRows): void {
  if (existing.other !== null) {
    throw refusedFailure(
      "ALREADY_EXISTS",
      `The platform is already in use and has a group named ${existing.other}. Ask its owners to create organizations and grant access.`,
    );
  }
  if (existing.organization !== null && existing.othersBound) {
    throw refusedFailure(
      "ALREADY_EXISTS",
      `The organization ${options.organization} already exists and has another owner. Ask its owners for access.`,
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
    `${created ? "Created the" : "Found the existing"} organization ${options.organization}  ${organization}\n` +
    `${created ? "Created" : "Found"} its owner  ${owner}\n` +
    `To log in with a token of ${options.issuer}, run: platformctl auth login --token-file FILE`;
  printAnswer(options, value, text);
}
