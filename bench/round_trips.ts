/**
 * D1 round trips of reads and writes: one for a Get and for a List under a scope, at most two for
 * a List without one and for a write.
 */
import { join } from "node:path";
import { OWNER_ROLE } from "../schema/tables/roles.ts";
import { type ForeignIssuer, openForeignIssuer } from "./foreign_issuer.ts";
import { fill, type Organization } from "./organization.ts";
import type { Report } from "./report.ts";
import { type Cost, makeDatabase, openStage, removeFolder, type Stage } from "./stage.ts";

/** Role of who runs the platform (migrations), without which no readme is written. */
const operatorRole = "0d0fcd23ba11ba9ae9af494459be5c9872701241";

/** Round trips that a call may make. */
const allowed = { Get: 1, "List with scope": 1, "List without scope": 2, write: 2 } as const;

/** One measured call: kind, what it did, and its cost. */
interface Trip {
  kind: keyof typeof allowed;
  name: string;
  cost: Cost;
}

type Asked = { method?: string; body?: unknown };

/** Calls the platform as one caller and keeps what each call cost. */
class Traveller {
  readonly trips: Trip[] = [];
  readonly #stage: Stage;
  readonly #token: string;

  constructor(stage: Stage, token: string) {
    this.#stage = stage;
    this.#token = token;
  }

  /** Answers the uid of what came back, if it has one. */
  async go(kind: Trip["kind"], name: string, path: string, asked?: Asked): Promise<string> {
    const { body, cost } = await this.#stage.call(this.#token, path, asked);
    this.trips.push({ kind, name, cost });
    return String(body?.uid ?? "");
  }

  get = (name: string, path: string) => this.go("Get", name, path);
  create = (name: string, path: string, body: unknown) =>
    this.go("write", `create ${name}`, path, { method: "POST", body });
  update = (name: string, path: string, body: unknown) =>
    this.go("write", `update ${name}`, path, { method: "PATCH", body });
  remove = (name: string, path: string) =>
    this.go("write", `delete ${name}`, path, { method: "DELETE" });

  /** Both Lists of a collection. */
  async list(name: string, path: string, scope: string): Promise<void> {
    const descendants = `${path}?uidp.descendants_of=${scope}`;
    await this.go("List with scope", `${name}, descendants_of`, descendants);
    await this.go("List with scope", `${name}, children_of`, `${path}?uidp.children_of=${scope}`);
    await this.go("List without scope", name, path);
  }
}

const description = { description: "changed" };
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

async function visitGroups(on: Traveller, { root }: Organization): Promise<string> {
  const group = await on.create("group", `/iam/v2/groups/${root}`, { name: "new" });
  await on.get("group", `/iam/v2/groups/${group}`);
  await on.update("group", `/iam/v2/groups/${group}`, description);
  await on.list("groups", "/iam/v2/groups", root);
  return group;
}

async function visitIdentities(on: Traveller, group: string): Promise<void> {
  const body = { name: "bot", claimMatch: { issuer: "https://issuer.example", subject: "bot" } };
  const identity = await on.create("identity", `/iam/v2/identities/${group}`, body);
  await on.get("identity", `/iam/v2/identities/${identity}`);
  await on.update("identity", `/iam/v2/identities/${identity}`, description);
  await on.list("identities", "/iam/v2/identities", group);
  const role = await on.create("role", `/iam/v2/roles/${group}`, {
    name: "reader",
    capabilities: ["CAP_REPO_LIST"],
  });
  await on.get("role", `/iam/v2/roles/${role}`);
  await on.get("built-in role", `/iam/v2/roles/${OWNER_ROLE}`);
  await on.update("role", `/iam/v2/roles/${role}`, description);
  await on.list("roles", "/iam/v2/roles", group);
  const binding = await on.create("role binding", `/iam/v2/roleBindings/${group}`, {
    identityUid: identity,
    roleUid: role,
  });
  await on.get("role binding", `/iam/v2/roleBindings/${binding}`);
  await on.update("role binding", `/iam/v2/roleBindings/${binding}`, { roleUid: OWNER_ROLE });
  await on.list("role bindings", "/iam/v2/roleBindings", group);
  await on.remove("role binding", `/iam/v2/roleBindings/${binding}`);
  await on.remove("role", `/iam/v2/roles/${role}`);
  await on.remove("identity", `/iam/v2/identities/${identity}`);
}

async function visitRegistry(on: Traveller, group: string): Promise<void> {
  const repo = await on.create("repo", `/registry/v2/repos/${group}`, { name: "app" });
  await on.get("repo", `/registry/v2/repos/${repo}`);
  await on.update("repo", `/registry/v2/repos/${repo}`, description);
  await on.update("readme", `/registry/v2/repos/${repo}/readme`, { content: "# App" });
  await on.get("readme", `/registry/v2/repos/${repo}/readme`);
  await on.list("repos", "/registry/v2/repos", group);
  const tagsPath = `/registry/v2/tags/${repo}`;
  const tag = await on.create("tag", tagsPath, { name: "1.0", digest: digest("a") });
  await on.create("tag (moves it)", tagsPath, { name: "1.0", digest: digest("b") });
  await on.get("tag", `/registry/v2/tags/${tag}`);
  await on.list("tags", "/registry/v2/tags", repo);
  await on.remove("tag", `/registry/v2/tags/${tag}`);
  await on.remove("repo", `/registry/v2/repos/${repo}`);
}

async function visitPeople(on: Traveller, group: string, issuer: ForeignIssuer): Promise<void> {
  const oidc = { issuer: issuer.url, clientId: "bench", clientSecret: "secret" };
  const body = { name: "sso", defaultRole: OWNER_ROLE, oidc };
  const providers = "/iam/v2/identityProviders";
  const provider = await on.create("identity provider", `${providers}/${group}`, body);
  await on.get("identity provider", `${providers}/${provider}`);
  await on.update("identity provider", `${providers}/${provider}`, description);
  await on.list("identity providers", providers, group);
  await on.create("SCIM token", `${providers}/${provider}:generateScimToken`, {});
  const mappings = "/iam/v2/externalGroupRoleMappings";
  const mapping = await on.create("role mapping", `${mappings}/${provider}`, {
    externalGroupId: "developers",
    roleUid: OWNER_ROLE,
    scope: group.slice(0, 40),
  });
  await on.get("role mapping", `${mappings}/${mapping}`);
  await on.update("role mapping", `${mappings}/${mapping}`, { externalGroupId: "others" });
  await on.list("role mappings", mappings, group);
  await on.remove("role mapping", `${mappings}/${mapping}`);
  await on.remove("identity provider", `${providers}/${provider}`);
  const invites = "/iam/v2/groupInvites";
  const offer = { roleUid: OWNER_ROLE, ttl: "3600s" };
  const invite = await on.create("invite", `${invites}/${group}`, offer);
  await on.get("invite", `${invites}/${invite}`);
  await on.update("invite", `${invites}/${invite}`, { email: "ada@example.com" });
  await on.list("invites", invites, group);
  await on.remove("invite", `${invites}/${invite}`);
}

async function visitTheRest(on: Traveller, group: string): Promise<void> {
  const associations = "/iam/v2/accountAssociations";
  const amazon = { account: "123456789012" };
  await on.create("account association", `${associations}/${group}`, { name: "clouds", amazon });
  await on.get("account association", `${associations}/${group}`);
  await on.update("account association", `${associations}/${group}`, description);
  await on.list("account associations", associations, group);
  await on.remove("account association", `${associations}/${group}`);
  await on.create("terms acceptance", `/iam/v2/terms/${group}`, { documentIds: ["sfdpa.v1"] });
  await on.go("List with scope", "terms acceptances", `/iam/v2/terms/${group}`);
  const subscriptions = "/events/v2/subscriptions";
  const sink = { sink: "http://localhost:9000/events" };
  const subscription = await on.create("subscription", `${subscriptions}/${group}`, sink);
  await on.get("subscription", `${subscriptions}/${subscription}`);
  await on.list("subscriptions", subscriptions, group);
  await on.remove("subscription", `${subscriptions}/${subscription}`);
  const libraries = "/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON";
  await on.go("List without scope", "libraries", libraries);
}

/** Reads as the bearer of another issuer's token, whose keys the Worker has by then. */
async function visitFromElsewhere(
  stage: Stage,
  token: string,
  { root, repo }: Organization,
  issuer: ForeignIssuer,
): Promise<Trip[]> {
  const claimMatch = { issuer: issuer.url, subject: "build" };
  const identity = await stage.call(token, `/iam/v2/identities/${root}`, {
    method: "POST",
    body: { name: "build", claimMatch },
  });
  await stage.call(token, `/iam/v2/roleBindings/${root}`, {
    method: "POST",
    body: { identityUid: identity.body?.uid, roleUid: OWNER_ROLE },
  });
  const theirs = await issuer.tokenFor("build");
  const on = new Traveller(stage, theirs);
  await stage.call(theirs, `/registry/v2/repos/${repo}`);
  await on.get("repo, with a token of another issuer", `/registry/v2/repos/${repo}`);
  const path = `/registry/v2/tags?uidp.descendants_of=${root}`;
  await on.go("List with scope", "tags, with a token of another issuer", path);
  return on.trips;
}

async function makeOperator({ db }: Stage, { root, owner }: Organization): Promise<void> {
  await db
    .prepare(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
    )
    .bind(`${root}/${"f".repeat(16)}`, owner, operatorRole)
    .all();
}

/** Measures and prints every call. */
export async function roundTrips(bundle: string, folder: string, report: Report): Promise<void> {
  const place = join(folder, "round-trips");
  const organization = fill(await makeDatabase(place), 1_000);
  const stage = await openStage(bundle, place);
  const issuer = await openForeignIssuer(stage.audience);
  try {
    await makeOperator(stage, organization);
    const token = await stage.tokenFor(organization.owner);
    const on = new Traveller(stage, token);
    const group = await visitGroups(on, organization);
    await visitIdentities(on, group);
    await visitRegistry(on, group);
    await visitPeople(on, group, issuer);
    await visitTheRest(on, group);
    await on.remove("group", `/iam/v2/groups/${group}`);
    on.trips.push(...(await visitFromElsewhere(stage, token, organization, issuer)));
    report.table(
      "D1 round trips",
      ["", "call", "round trips", "at most", "rows read", "rows written", ""],
      on.trips.map(({ kind, name, cost }) => {
        const most = allowed[kind];
        const isAbove = cost.roundTrips > most;
        const verdict = report.verdict(isAbove ? ["above"] : [], `${kind} ${name}`);
        const { roundTrips, rowsRead, rowsWritten } = cost;
        return [kind, name, roundTrips, most, rowsRead, rowsWritten, verdict];
      }),
    );
  } finally {
    issuer.close();
    await stage.stop();
    await removeFolder(place);
  }
}
